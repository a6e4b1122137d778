import type { ReactElement } from 'react';
import { useAnswer } from '../../api/use-answer.ts';
import { Panel } from '../../components/frames/panel.tsx';
import { SeverityShape } from '../../components/states/state-badge.tsx';
import type { Severity } from '../../components/states/state-severity.ts';
import { sources as texts } from '../../messages/sources.ts';
import { RevisionDiagnosticsDocument, type RevisionDiagnosticsQuery } from './revision.generated.ts';

type Source = Extract<RevisionDiagnosticsQuery['node'], { readonly __typename: 'Source' }>;

/** What is wrong with the documents of a revision, each with the line that it is about; they change no more. */
export function Diagnostics({ source, commit }: DiagnosticsProps): ReactElement {
  const variables = { id: `source:${source}`, commit };
  const answer = useAnswer(RevisionDiagnosticsDocument, variables, { everySeconds: 0 });
  const node = answer.data?.node;
  const diagnostics = node?.__typename === 'Source' ? node.diagnostics : [];
  return (
    <Panel
      title={texts.revision.diagnostics}
      answer={answer}
      query={{ document: RevisionDiagnosticsDocument, variables }}
    >
      {diagnostics.length === 0 ? <p className="quiet">{texts.revision.noDiagnostics}</p> : null}
      <ul className="diagnostics">
        {diagnostics.map((diagnostic) => (
          <Diagnostic key={keyOf(diagnostic)} diagnostic={diagnostic} />
        ))}
      </ul>
    </Panel>
  );
}

interface DiagnosticsProps {
  readonly source: string;
  readonly commit: string;
}

const severities: Readonly<Record<string, Severity>> = { error: 'critical', warning: 'attention' };

function Diagnostic({ diagnostic }: { readonly diagnostic: Source['diagnostics'][number] }): ReactElement {
  const { severity, code, message, file, line, column, hint, text } = diagnostic;
  const shape = severities[severity];
  return (
    <li className="diagnostic" data-severity={severity}>
      <span className="diagnostic-head">
        {shape === undefined ? null : <SeverityShape severity={shape} />}
        <span>
          <strong>{message}</strong> <span className="quiet">{severity}</span>{' '}
          <code className="quiet">{code}</code>
        </span>
      </span>
      <code>{`${file}:${line}:${column}`}</code>
      {text === null ? null : <Line text={text} line={line} column={column} />}
      {hint === null ? null : <span className="quiet">{hint}</span>}
    </li>
  );
}

/** The line with its number, marked from the column on. */
function Line({ text, line, column }: LineProps): ReactElement {
  return (
    <code className="diagnostic-line">
      <span className="quiet">{line}</span>
      <span>
        {text.slice(0, column - 1)}
        <mark>{text.slice(column - 1)}</mark>
      </span>
    </code>
  );
}

interface LineProps {
  readonly text: string;
  readonly line: number;
  readonly column: number;
}

function keyOf({ file, line, column, code, message }: Source['diagnostics'][number]): string {
  return `${file}:${line}:${column} ${code} ${message}`;
}
