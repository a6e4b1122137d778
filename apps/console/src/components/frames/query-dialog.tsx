import { type ReactElement, type ReactNode, useEffect, useState } from 'react';
import { loadOffer } from '../../api/session.ts';
import { common } from '../../messages/common.ts';
import { links } from '../../navigation/links.ts';
import { Dialog } from './dialog.tsx';
import { curlOf, type Shown, shownQueries, type ShownQuery, type ShownRequest } from './shown-query.ts';

/** What is behind a panel, to be copied: a query with its variables, or a request to the REST API. */
export default function QueryDialog({ query, onClose }: QueryDialogProps): ReactElement {
  const queries = shownQueries(query);
  return (
    <Dialog
      title={queries === undefined ? common.query.requestTitle : common.query.titleOf(queries.length)}
      onClose={onClose}
      isWide
    >
      {queries === undefined ? (
        <Request request={query as ShownRequest} />
      ) : (
        <>
          <p className="quiet">{common.query.text}</p>
          {queries.map((each) => (
            <Query key={each.document.text} query={each} name={nameOf(each, queries.length)} />
          ))}
        </>
      )}
    </Dialog>
  );
}

interface QueryDialogProps {
  readonly query: Shown;
  readonly onClose: () => void;
}

/** Where there are several, each is told by the name of its operation. */
function nameOf({ document: { text } }: ShownQuery, count: number): string {
  return count === 1 ? '' : (/^query (\w+)/.exec(text)?.[1] ?? '');
}

interface QueryProps {
  readonly query: ShownQuery;
  /** Empty: it is the only one. */
  readonly name: string;
}

function Query({ query, name }: QueryProps): ReactElement {
  const [hasGraphiql, setGraphiql] = useState(false);
  useEffect(() => void loadOffer().then(({ graphiql }) => setGraphiql(graphiql)), []);
  const { text } = query.document;
  const variables = JSON.stringify(query.variables, null, 2);
  return (
    <>
      {name === '' ? null : <h3>{name}</h3>}
      <Code title={`${common.query.one} ${name}`.trim()} text={text} />
      <h3>{`${common.query.variables} ${name}`.trim()}</h3>
      <Code title={`${common.query.variables} ${name}`.trim()} text={variables} />
      <Footer copied={JSON.stringify({ query: text, variables: query.variables })}>
        {hasGraphiql ? (
          <a className="button" href={links.graphiqlOf(text, variables)} target="_blank" rel="noopener">
            {common.query.open}
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
      <p className="quiet">{common.query.requestText}</p>
      <Code title={common.query.requestTitle} text={command} />
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
        {isCopied ? common.query.copied : common.query.copy}
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
