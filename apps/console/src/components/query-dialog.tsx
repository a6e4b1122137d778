import { type ReactElement, useEffect, useState } from 'react';
import { loadOffer } from '../api/session.ts';
import { links } from '../app/links.ts';
import { shell } from '../messages/shell.ts';
import { Dialog } from './dialog.tsx';
import type { ShownQuery } from './shown-query.ts';

/** The query behind a panel with its variables, to be copied. */
export default function QueryDialog({ query, onClose }: QueryDialogProps): ReactElement {
  const [isCopied, setCopied] = useState(false);
  const [hasGraphiql, setGraphiql] = useState(false);
  useEffect(() => void loadOffer().then(({ graphiql }) => setGraphiql(graphiql)), []);
  const variables = JSON.stringify(query.variables, null, 2);
  const copy = async (): Promise<void> => {
    const body = JSON.stringify({ query: query.document.text, variables: query.variables });
    await navigator.clipboard.writeText(body);
    setCopied(true);
  };
  return (
    <Dialog title={shell.query.title} onClose={onClose} isWide>
      <p className="quiet">{shell.query.text}</p>
      <pre className="code" aria-label={shell.query.title}>
        {query.document.text}
      </pre>
      <h3>{shell.query.variables}</h3>
      <pre className="code" aria-label={shell.query.variables}>
        {variables}
      </pre>
      <footer className="dialog-footer">
        <button type="button" className="button" onClick={() => void copy()}>
          {isCopied ? shell.query.copied : shell.query.copy}
        </button>
        {hasGraphiql ? (
          <a
            className="button"
            href={links.graphiqlOf(query.document.text, variables)}
            target="_blank"
            rel="noopener"
          >
            {shell.query.open}
          </a>
        ) : null}
      </footer>
    </Dialog>
  );
}

interface QueryDialogProps {
  readonly query: ShownQuery;
  readonly onClose: () => void;
}
