import { type ReactElement, type ReactNode, useEffect, useState } from 'react';
import { loadOffer } from '../api/session.ts';
import { shell } from '../messages/shell.ts';
import { links } from '../navigation/links.ts';
import { Dialog } from './dialog.tsx';
import { curlOf, type ShownQuery, type ShownRequest } from './shown-query.ts';

/** What is behind a panel, to be copied: a query with its variables, or a request to the REST API. */
export default function QueryDialog({ query, onClose }: QueryDialogProps): ReactElement {
  return (
    <Dialog
      title={'document' in query ? shell.query.title : shell.query.requestTitle}
      onClose={onClose}
      isWide
    >
      {'document' in query ? <Query query={query} /> : <Request request={query} />}
    </Dialog>
  );
}

interface QueryDialogProps {
  readonly query: ShownQuery | ShownRequest;
  readonly onClose: () => void;
}

function Query({ query }: { readonly query: ShownQuery }): ReactElement {
  const [hasGraphiql, setGraphiql] = useState(false);
  useEffect(() => void loadOffer().then(({ graphiql }) => setGraphiql(graphiql)), []);
  const { text } = query.document;
  const variables = JSON.stringify(query.variables, null, 2);
  return (
    <>
      <p className="quiet">{shell.query.text}</p>
      <Code title={shell.query.title} text={text} />
      <h3>{shell.query.variables}</h3>
      <Code title={shell.query.variables} text={variables} />
      <Footer copied={JSON.stringify({ query: text, variables: query.variables })}>
        {hasGraphiql ? (
          <a className="button" href={links.graphiqlOf(text, variables)} target="_blank" rel="noopener">
            {shell.query.open}
          </a>
        ) : null}
      </Footer>
    </>
  );
}

function Request({ request }: { readonly request: ShownRequest }): ReactElement {
  const command = curlOf(request, location.origin);
  return (
    <>
      <p className="quiet">{shell.query.requestText}</p>
      <Code title={shell.query.requestTitle} text={command} />
      <Footer copied={command} />
    </>
  );
}

/** It scrolls: reachable by the keyboard. */
function Code({ title, text }: { readonly title: string; readonly text: string }): ReactElement {
  return (
    // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <pre className="code" tabIndex={0} aria-label={title}>
      {text}
    </pre>
  );
}

function Footer({ copied, children }: FooterProps): ReactElement {
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(copied);
    setCopied(true);
  };
  return (
    <footer className="dialog-footer">
      <button type="button" className="button" onClick={() => void copy()}>
        {isCopied ? shell.query.copied : shell.query.copy}
      </button>
      {children}
    </footer>
  );
}

interface FooterProps {
  /** What is copied. */
  readonly copied: string;
  readonly children?: ReactNode;
}
