import { memo, type ReactElement } from 'react';
import { StateBadge, StateShape } from '../../components/states/state-badge.tsx';
import { fleet as texts } from '../../messages/fleet.ts';
import { restOf, type ShownState, stateTexts } from '../../messages/states.ts';
import type { FleetRow } from './fleet-rows.ts';
import { shownStates } from './fleet-view.ts';

/** What is said of a policy in words, the most pressing first; a word where nothing is. */
export const States = memo(function States({ row }: { readonly row: FleetRow }): ReactElement {
  const states = shownStates(row);
  if (states.length === 0) return <span className="quiet">{restOf(row.status).word}</span>;
  return (
    <span className="fleet-states">
      {states.map((state) => (
        <StateBadge key={state} state={state} />
      ))}
    </span>
  );
});

/** The most pressing state in a word, and how many others there are, which a click says in words. */
export function ShortStates({ row, onExplain }: ShortStatesProps): ReactElement {
  const [first, ...others] = shownStates(row);
  if (first === undefined) return <span className="quiet">{restOf(row.status).word}</span>;
  return (
    <span className="fleet-states">
      <StateBadge state={first} />
      {others.length === 0 ? null : <Others states={others} onClick={() => onExplain(row)} />}
    </span>
  );
}

interface ShortStatesProps {
  readonly row: FleetRow;
  readonly onExplain: (row: FleetRow) => void;
}

/** The table has the keys: `w` does the same. */
function Others({ states, onClick }: OthersProps): ReactElement {
  const words = states.map((state) => stateTexts[state].word).join(', ');
  return (
    <button
      type="button"
      tabIndex={-1}
      className="badge fleet-others"
      title={words}
      aria-label={texts.others(states.length, words)}
      onClick={onClick}
    >
      {states.map((state) => (
        <StateShape key={state} state={state} />
      ))}
      +{states.length}
    </button>
  );
}

interface OthersProps {
  readonly states: readonly ShownState[];
  readonly onClick: () => void;
}
