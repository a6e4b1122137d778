import { memo, type ReactElement, type ReactNode, useMemo } from 'react';
import { Folded } from '../../components/frames/folded.tsx';
import { SearchField } from '../../components/lists/search-field.tsx';
import { StateShape } from '../../components/states/state-badge.tsx';
import { fleet as texts } from '../../messages/fleet.ts';
import { type ShownState, stateTexts } from '../../messages/states.ts';
import type { FleetRow } from './fleet-rows.ts';
import { countStates, type FleetView, groupings, orders, type ViewChange } from './fleet-view.ts';

interface FleetFiltersProps {
  readonly rows: readonly FleetRow[];
  readonly view: FleetView;
  readonly onView: (change: ViewChange) => void;
  /** Beside the filters. */
  readonly children: ReactNode;
}

/** What narrows, groups and sorts the fleet. */
export function FleetFilters({ rows, view, onView, children }: FleetFiltersProps): ReactElement {
  const namespaces = useMemo(() => namesOf(rows, ({ namespace }) => namespace), [rows]);
  const sources = useMemo(() => namesOf(rows, ({ origin }) => origin.source), [rows]);
  const labelled = useMemo(() => namesOf(rows, ({ label }) => label ?? '').filter(Boolean), [rows]);
  const choose = (part: Partial<FleetView>): void => onView((now) => ({ ...now, ...part }));
  return (
    <div className="fleet-filters">
      <SearchField label={texts.search} wanted={view.search} onSearch={(search) => choose({ search })} />
      <span className="spring" />
      <Folded title={texts.filters.folded(countSet(view))}>
        {namespaces.length > 1 ? (
          <Choice
            label={texts.filters.namespace}
            value={view.namespace}
            choices={withAll(namespaces)}
            onChange={(namespace) => choose({ namespace })}
          />
        ) : null}
        {sources.length > 1 ? (
          <Choice
            label={texts.filters.source}
            value={view.source}
            choices={withAll(sources)}
            onChange={(source) => choose({ source })}
          />
        ) : null}
        {labelled.length > 0 || view.labelled !== '' ? (
          <Choice
            label={view.label}
            value={view.labelled}
            choices={withAll(labelled)}
            onChange={(value) => choose({ labelled: value })}
          />
        ) : null}
        <Choice
          label={texts.filters.group}
          value={view.grouping}
          choices={groupings.map((each) => [
            each,
            each === 'label' ? `${texts.groupings.label} ${view.label}` : texts.groupings[each],
          ])}
          onChange={(grouping) => choose({ grouping: groupings.find((each) => each === grouping) ?? 'none' })}
        />
        <Choice
          label={texts.filters.order}
          value={view.order}
          choices={orders.map((each) => [each, texts.orders[each]])}
          onChange={(order) => choose({ order: orders.find((each) => each === order) ?? 'name' })}
        />
      </Folded>
      {children}
      <StateChips rows={rows} view={view} onView={onView} />
    </div>
  );
}

/** How many of those that are folded are not as they are at first. */
function countSet({ namespace, source, labelled, grouping, order }: FleetView): number {
  return [namespace !== '', source !== '', labelled !== '', grouping !== 'none', order !== 'name'].filter(
    Boolean,
  ).length;
}

const StateChips = memo(function StateChips({ rows, view, onView }: StateChipsProps): ReactElement | null {
  const counts = useMemo(() => countStates(rows), [rows]);
  const shown = [...counts.keys(), ...view.states.filter((state) => !counts.has(state))];
  if (shown.length === 0) return null;
  const toggle = (state: ShownState): void =>
    onView((now) => ({
      ...now,
      states: now.states.includes(state)
        ? now.states.filter((each) => each !== state)
        : [...now.states, state],
    }));
  return (
    <div className="fleet-chips" role="group" aria-label={texts.filters.states}>
      {shown.map((state) => (
        <button
          key={state}
          type="button"
          className="fleet-chip"
          title={stateTexts[state].sentence}
          aria-pressed={view.states.includes(state)}
          onClick={() => toggle(state)}
        >
          <StateShape state={state} />
          <strong>{(counts.get(state) ?? 0).toLocaleString('en')}</strong>
          {stateTexts[state].word}
        </button>
      ))}
    </div>
  );
});

type StateChipsProps = Omit<FleetFiltersProps, 'children'>;

function namesOf(rows: readonly FleetRow[], name: (row: FleetRow) => string): readonly string[] {
  return [...new Set(rows.map(name))].toSorted();
}

function withAll(names: readonly string[]): readonly (readonly [string, string])[] {
  return [['', texts.filters.all], ...names.map((name) => [name, name] as const)];
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly choices: readonly (readonly [value: string, text: string])[];
  readonly onChange: (value: string) => void;
}

function Choice({ label, value, choices, onChange }: ChoiceProps): ReactElement {
  return (
    <label className="fleet-choice">
      <span className="quiet">{label}</span>
      <select value={value} onChange={({ target }) => onChange(target.value)}>
        {choices.map(([choice, text]) => (
          <option key={choice} value={choice}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}
