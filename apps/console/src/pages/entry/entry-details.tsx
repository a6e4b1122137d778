import { type ReactElement, type ReactNode, Suspense } from 'react';
import type { Json } from '#kernel';
import { FieldChanges } from '../../components/facts/field-changes.tsx';
import { CodeBlock } from '../../components/frames/code-block.tsx';
import { Panel } from '../../components/frames/panel.tsx';
import type { ShownQuery } from '../../components/frames/shown-query.ts';
import { lazyPart } from '../../components/states/lazy-part.tsx';
import { entry as texts } from '../../messages/entry.ts';
import type { LedgerEntry } from './a-ledger-entry.ts';
import { isEndedEarly } from './ended-intervention.ts';
import { EntryEffect } from './entry-effect.tsx';
import { jsonChanges } from './json-changes.ts';

/** Compares as policies are compared: loaded where there is something to compare. */
const DocumentChanges = lazyPart(() => import('../../evaluation/document-changes.tsx'));

/** What of an entry wants more room than a line: what it does, what changed, what was wrong, the signed note. */
export function EntryDetails({ entry, query }: EntryDetailsProps): ReactElement | null {
  const [title, content] = detailsOf(entry) ?? [];
  if (title === undefined) return null;
  return (
    <Panel title={title} query={query}>
      {content}
    </Panel>
  );
}

interface EntryDetailsProps {
  readonly entry: LedgerEntry;
  readonly query: ShownQuery;
}

function detailsOf(entry: LedgerEntry): readonly [title: string, content: ReactNode] | undefined {
  if ('effect' in entry) {
    return entry.outcome === 'Refused'
      ? undefined
      : [
          texts.effect,
          <EntryEffect effect={entry.effect} endedEarly={isEndedEarly(entry) ? entry.end : null} />,
        ];
  }

  if ('documentBefore' in entry) {
    const { documentBefore, documentAfter } = entry;
    return [
      texts.changed,
      <Suspense fallback={null}>
        <DocumentChanges before={documentBefore as Json} after={documentAfter as Json} />
      </Suspense>,
    ];
  }
  if ('settingsBefore' in entry) {
    const { settingsBefore, settingsAfter } = entry;
    return [
      texts.changed,
      <FieldChanges of={jsonChanges((settingsBefore ?? {}) as Json, settingsAfter as Json)} />,
    ];
  }
  if ('diagnostics' in entry && entry.diagnostics.length > 0)
    return [texts.diagnostics, <Diagnostics of={entry.diagnostics} />];
  return 'note' in entry ? [texts.note, <CodeBlock title={texts.noteText} text={entry.note} />] : undefined;
}

type Diagnostic = Extract<LedgerEntry, { readonly __typename: 'SyncRun' }>['diagnostics'][number];

function Diagnostics({ of }: { readonly of: readonly Diagnostic[] }): ReactElement {
  return (
    <ul className="entry-lines">
      {of.map(({ severity, code, message, file, line, column }) => (
        <li key={`${file}:${line}:${column} ${code} ${message}`}>
          <code>{`${file}:${line}:${column}`}</code> {message}{' '}
          <span className="quiet">{`${severity} ${code}`}</span>
        </li>
      ))}
    </ul>
  );
}
