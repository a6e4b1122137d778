import type { ReactElement, ReactNode } from 'react';
import { isJsonObject, type Json } from '#kernel';
import { compareDocuments, type FieldChange } from '#policy';
import { ChangeList } from '../../components/change-list.tsx';
import { Panel } from '../../components/panel.tsx';
import type { ShownQuery } from '../../components/shown-query.ts';
import { entry as texts } from '../../messages/entry.ts';
import type { LedgerEntry } from './a-ledger-entry.ts';
import { CodeBlock } from './code-block.tsx';
import { EntryEffect } from './entry-effect.tsx';
import { jsonChanges } from './json-changes.ts';

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
  if ('effect' in entry)
    return entry.outcome === 'Refused' ? undefined : [texts.effect, <EntryEffect effect={entry.effect} />];

  if ('documentBefore' in entry) {
    const { documentBefore, documentAfter } = entry;
    return [texts.changed, <DocumentChanges before={documentBefore as Json} after={documentAfter as Json} />];
  }
  if ('settingsBefore' in entry) {
    const { settingsBefore, settingsAfter } = entry;
    return [
      texts.changed,
      <Changes of={jsonChanges((settingsBefore ?? {}) as Json, settingsAfter as Json)} />,
    ];
  }
  if ('diagnostics' in entry && entry.diagnostics.length > 0)
    return [texts.diagnostics, <Diagnostics of={entry.diagnostics} />];
  return 'note' in entry ? [texts.note, <CodeBlock title={texts.noteText} text={entry.note} />] : undefined;
}

function DocumentChanges({ before, after }: { readonly before: Json; readonly after: Json }): ReactElement {
  if (isJsonObject(after) && isJsonObject(before)) return <Changes of={compareDocuments(before, after)} />;
  return (
    <>
      <p>{isJsonObject(after) ? texts.came : texts.left}</p>
      <CodeBlock
        title={texts.document}
        text={JSON.stringify(isJsonObject(after) ? after : before, null, 2)}
      />
    </>
  );
}

function Changes({ of }: { readonly of: readonly FieldChange[] }): ReactElement {
  if (of.length === 0) return <p className="quiet">{texts.noChange}</p>;
  return <ChangeList changes={of} absent={texts.absent} />;
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
