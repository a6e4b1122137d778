import type { ReactElement } from 'react';
import { actorName } from '#kernel';
import { Timestamp } from '../../components/time/timestamp.tsx';
import { isolated } from '../../components/words/isolated.ts';
import { entry } from '../../messages/entry.ts';
import type { LedgerEntry } from './a-ledger-entry.ts';

type End = NonNullable<Extract<LedgerEntry, { readonly __typename: 'OperatorAction' }>['end']>;

/** When an intervention ended, by whom and why. */
export function InterventionEnd({ time, actor, reason }: End): ReactElement {
  const by = entry.facts.endedBy(isolated(actorName(actor)));
  return (
    <>
      <Timestamp time={time} /> {reason === null ? by : `${by}: ${isolated(reason)}`}
    </>
  );
}
