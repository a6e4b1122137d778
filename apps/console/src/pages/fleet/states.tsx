import type { ReactElement } from 'react';
import { SeverityShape, StateBadge } from '../../components/state-badge.tsx';
import { sortedStates } from '../../components/state-severity.ts';
import { steady, unknownState, waiting } from '../../messages/states.ts';
import type { FleetRow } from './fleet-rows.ts';
import { isWaiting } from './fleet-view.ts';

/** What is said of a policy, the most pressing first; a word where nothing is. */
export function States({ row }: { readonly row: FleetRow }): ReactElement {
  const { states, status } = row;
  if (states.length === 0 && !isWaiting(row))
    return <span className="quiet">{status === null ? unknownState.word : steady.word}</span>;
  return (
    <span className="fleet-states">
      {sortedStates(states).map((state) => (
        <StateBadge key={state} state={state} />
      ))}
      {isWaiting(row) ? (
        <span className="badge" data-severity="attention" title={waiting.sentence}>
          <SeverityShape severity="attention" />
          <span className="badge-word">{waiting.word}</span>
        </span>
      ) : null}
    </span>
  );
}
