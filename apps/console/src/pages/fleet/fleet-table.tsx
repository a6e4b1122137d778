import { lazy, type ReactElement, Suspense, useCallback, useMemo, useState } from 'react';
import { useNavigate } from 'react-router';
import { links } from '../../app/links.ts';
import { DataTable, type TableItem } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { fleet as texts } from '../../messages/fleet.ts';
import { stateTexts, steady } from '../../messages/states.ts';
import { fleetColumns } from './fleet-columns.tsx';
import { type FleetRow, rowKey } from './fleet-rows.ts';
import type { FleetGroup, FleetView } from './fleet-view.ts';
import { useNarrow } from './use-narrow.ts';

const BulkActions = lazy(() => import('./bulk-actions.tsx'));

interface FleetTableProps {
  readonly groups: readonly FleetGroup[];
  readonly view: FleetView;
  readonly isLoading: boolean;
  /** Something may have changed. */
  readonly onDone: () => void;
  readonly onClear: () => void;
}

/** The policies as rows, and what is done to those that are selected. */
export function FleetTable({ groups, view, isLoading, onDone, onClear }: FleetTableProps): ReactElement {
  const navigate = useNavigate();
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const toggle = useCallback((key: string) => setSelected((before) => toggled(before, key)), []);
  const isNarrow = useNarrow();
  const columns = useMemo(() => fleetColumns({ selected, toggle, isNarrow }), [selected, toggle, isNarrow]);
  const items = useMemo(() => itemsOf(groups, view), [groups, view]);
  const chosen = useMemo(
    () =>
      selected.size === 0
        ? []
        : groups.flatMap(({ rows }) => rows.filter((row) => selected.has(rowKey(row)))),
    [groups, selected],
  );
  return (
    <>
      <DataTable
        label={texts.table}
        columns={columns}
        items={items}
        rowHeight={isNarrow ? 4 : 2.25}
        selected={selected}
        onSelect={toggle}
        onOpen={(row) => void navigate(links.policy(row))}
        empty={isLoading ? null : <NothingFound onClear={onClear} />}
      />
      {chosen.length === 0 ? null : (
        <Suspense>
          <BulkActions rows={chosen} onDone={onDone} onClear={() => setSelected(new Set())} />
        </Suspense>
      )}
    </>
  );
}

function NothingFound({ onClear }: { readonly onClear: () => void }): ReactElement {
  return (
    <EmptyState title={texts.nothingFound.title}>
      <p>{texts.nothingFound.text}</p>
      <button type="button" className="button" onClick={onClear}>
        {texts.filters.clear}
      </button>
    </EmptyState>
  );
}

function toggled(before: ReadonlySet<string>, key: string): ReadonlySet<string> {
  const next = new Set(before);
  if (!next.delete(key)) next.add(key);
  return next;
}

function itemsOf(groups: readonly FleetGroup[], view: FleetView): readonly TableItem<FleetRow>[] {
  return groups.flatMap(({ name, rows }) => {
    const members = rows.map(itemOf);
    if (view.grouping === 'none') return members;
    const title = (
      <>
        {titleOf(name, view)} <span className="quiet">{rows.length}</span>
      </>
    );
    return [{ kind: 'Group' as const, key: `group ${name}`, title }, ...members];
  });
}

/** Rows that are as they were are the same items, and so are not rendered again. */
const items = new WeakMap<FleetRow, TableItem<FleetRow>>();

function itemOf(value: FleetRow): TableItem<FleetRow> {
  const known = items.get(value) ?? { kind: 'Row', key: rowKey(value), value };
  items.set(value, known);
  return known;
}

function titleOf(name: string, { grouping, label }: FleetView): string {
  if (grouping === 'state')
    return name in stateTexts ? stateTexts[name as keyof typeof stateTexts].word : steady.word;
  return name === '' ? texts.noLabel(label) : name;
}
