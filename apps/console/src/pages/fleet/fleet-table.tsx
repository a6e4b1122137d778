import { type ReactElement, Suspense, useMemo, useState } from 'react';
import { useNavigate } from 'react-router';
import { DataTable, type TableItem } from '../../components/lists/data-table.tsx';
import { useSelection } from '../../components/lists/use-selection.ts';
import { useMedia } from '../../components/screen/use-media.ts';
import { useNarrow } from '../../components/screen/use-narrow.ts';
import { EmptyState } from '../../components/states/empty-state.tsx';
import { lazyPart } from '../../components/states/lazy-part.tsx';
import { fleet as texts } from '../../messages/fleet.ts';
import { restOf, type ShownState, stateTexts } from '../../messages/states.ts';
import { links } from '../../navigation/links.ts';
import { fleetColumns, type RowRoom } from './fleet-columns.tsx';
import { type FleetRow, rowKey } from './fleet-rows.ts';
import type { FleetGroup, FleetView } from './fleet-view.ts';

const BulkActions = lazyPart(() => import('./bulk-actions.tsx'));
const RowInWords = lazyPart(() => import('./row-in-words.tsx'));

interface FleetTableProps {
  readonly groups: readonly FleetGroup[];
  readonly view: FleetView;
  readonly isLoading: boolean;
  /** On a telephone the rows have boxes to select them by; elsewhere they always have. */
  readonly isSelecting: boolean;
  /** Something may have changed. */
  readonly onDone: () => void;
  readonly onClear: () => void;
}

/** The policies as rows, and what is done to those that are selected. */
export function FleetTable({
  groups,
  view,
  isLoading,
  isSelecting,
  onDone,
  onClear,
}: FleetTableProps): ReactElement {
  const navigate = useNavigate();
  const rows = useMemo(() => groups.flatMap((group) => group.rows), [groups]);
  const { selected, chosen, isAll, toggle, toggleAll, clear } = useSelection(rows, rowKey);
  const room = useRoom();
  const isNarrow = room === 'Telephone';
  const [wasSelecting, setWasSelecting] = useState(isSelecting);
  if (wasSelecting !== isSelecting) {
    setWasSelecting(isSelecting);
    clear();
  }
  const [explained, setExplained] = useState<FleetRow | undefined>();
  const hasBoxes = !isNarrow || isSelecting;
  const columns = useMemo(() => {
    const selection = hasBoxes ? { selected, isAll, toggle, toggleAll } : null;
    return fleetColumns({ room, selection, onExplain: setExplained });
  }, [room, hasBoxes, selected, isAll, toggle, toggleAll]);
  const items = useMemo(() => itemsOf(groups, view), [groups, view]);
  return (
    <>
      <DataTable
        label={texts.table}
        columns={columns}
        items={items}
        rowHeight={isNarrow ? 4 : 2.25}
        selected={selected}
        onSelect={toggle}
        onSelectAll={toggleAll}
        onOpen={(row) => void navigate(links.policy(row))}
        onExplain={setExplained}
        empty={isLoading ? null : <NothingFound onClear={onClear} />}
      />
      {chosen.length === 0 ? null : (
        <Suspense>
          <BulkActions rows={chosen} onDone={onDone} onClear={clear} />
        </Suspense>
      )}
      <Suspense>
        {explained === undefined ? null : (
          <RowInWords row={explained} onClose={() => setExplained(undefined)} />
        )}
      </Suspense>
    </>
  );
}

function useRoom(): RowRoom {
  const isSmall = useMedia('(max-width: 1180px)');
  const isUsual = useMedia('(max-width: 1799px)');
  if (useNarrow()) return 'Telephone';
  if (isSmall) return 'Small';
  return isUsual ? 'Usual' : 'Wide';
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
  if (grouping === 'state') return name === '' ? restOf(null).word : stateTexts[name as ShownState].word;
  return name === '' ? texts.noLabel(label) : name;
}
