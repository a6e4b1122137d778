import { Fragment, type ReactElement } from 'react';
import { Timestamp } from '../../components/time/timestamp.tsx';
import { countText, digitsText } from '../../messages/count-text.ts';
import { entry as messages } from '../../messages/entry.ts';
import type { LedgerEntry } from './a-ledger-entry.ts';
import type { Fact } from './fact-list.tsx';
import { jsonText } from './json-changes.ts';

const texts = messages.facts;

/** Of what the ledger says of itself. */
export function sealFacts(entry: LedgerEntry): readonly Fact[] {
  return [
    ...('number' in entry ? [[texts.number, digitsText(entry.number)] as const] : []),
    ...('key' in entry ? [[texts.key, <code>{entry.key}</code>] as const] : []),
    ...('restored' in entry
      ? [
          [texts.restored, digitsText(entry.restored)] as const,
          [texts.backup, <Timestamp time={entry.backup} />] as const,
        ]
      : []),
    ...('rules' in entry
      ? [
          [texts.rules, <JsonLines of={entry.rules} />] as const,
          [texts.segments, <JsonLines of={entry.segments} />] as const,
          [
            texts.deleted,
            entry.deleted === null ? texts.notDeleted : <code>{jsonText(entry.deleted)}</code>,
          ] as const,
        ]
      : []),
  ];
}

/** As many as are read; the API has them all. */
const shownItems = 50;

function JsonLines({ of }: { readonly of: unknown }): ReactElement {
  const items = Array.isArray(of) ? (of as readonly unknown[]) : [of];
  return (
    <>
      {items.slice(0, shownItems).map((item, index) => (
        // They are in the order of the entry, which does not change.
        <Fragment key={index}>
          <code>{jsonText(item)}</code>
          <br />
        </Fragment>
      ))}
      {items.length > shownItems ? `… ${countText(items.length)}` : null}
    </>
  );
}
