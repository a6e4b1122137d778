import { useVirtualizer } from '@tanstack/react-virtual';
import {
  type CSSProperties,
  type FocusEvent,
  type KeyboardEvent,
  memo,
  type ReactElement,
  type ReactNode,
  useEffect,
  useRef,
  useState,
} from 'react';
import { useRem } from '../screen/use-rem.ts';

/** A column of a table. */
export interface Column<T> {
  readonly id: string;
  readonly title: string;
  /** A track of a CSS grid: `minmax(12rem, 2fr)`. */
  readonly width: string;
  readonly isNumber?: boolean;
  /** The title is for those who do not see the column. */
  readonly isTitleHidden?: boolean;
  /** In the place of the title. */
  readonly head?: ReactNode;
  readonly cell: (item: T) => ReactNode;
}

interface RowItem<T> {
  readonly kind: 'Row';
  readonly key: string;
  readonly value: T;
}

/** A row, or the heading of those that follow. */
export type TableItem<T> =
  RowItem<T> | { readonly kind: 'Group'; readonly key: string; readonly title: ReactNode };

/** A table of as many rows as there are; only those that are seen are in the page. */
export interface DataTableProps<T> {
  readonly label: string;
  readonly columns: readonly Column<T>[];
  readonly items: readonly TableItem<T>[];
  /** In rem. */
  readonly rowHeight?: number;
  readonly selected?: ReadonlySet<string>;
  readonly onSelect?: (key: string) => void;
  /** Selects all rows, or none where all are. */
  readonly onSelectAll?: () => void;
  readonly onOpen?: (value: T) => void;
  /** Says in words what a row has no room for. */
  readonly onExplain?: (value: T) => void;
  /** What stands in the place of the rows where there is none. */
  readonly empty?: ReactNode;
}

/** In rem, as what is in them. */
const headerHeight = 2;
const defaultRowHeight = 2.25;

/** One tab stop; `j`, `k` and the arrows move in it, Enter opens, `w` explains, `x` and Space select, Ctrl-A and ⌘-A all. */
export function DataTable<T>(props: DataTableProps<T>): ReactElement {
  const { label, columns, items, selected, onSelect, empty } = props;
  const rem = useRem();
  const rowHeight = (props.rowHeight ?? defaultRowHeight) * rem;
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 12,
  });
  useEffect(() => virtual.measure(), [rowHeight, virtual]);
  const keys = useTableKeys(props, (index) => virtual.scrollToIndex(index));
  return (
    <div
      ref={scroller}
      className="table"
      role="grid"
      aria-label={label}
      aria-rowcount={items.length + 1}
      aria-multiselectable={onSelect !== undefined}
      aria-activedescendant={keys.active === undefined ? undefined : idOf(keys.active)}
      tabIndex={0}
      data-keys="table"
      // No higher than its rows.
      style={items.length === 0 ? undefined : heightsOf(headerHeight * rem + virtual.getTotalSize())}
      onFocus={keys.onFocus}
      onKeyDown={keys.onKeyDown}
    >
      <Head
        columns={columns}
        style={{ gridTemplateColumns: tracksOf(columns), height: headerHeight * rem }}
      />
      {items.length === 0 ? empty : null}
      <div className="table-body" role="rowgroup" style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, start }) => {
          const item = items[index];
          if (item === undefined) return null;
          const place = { transform: `translateY(${start}px)`, height: rowHeight };
          return item.kind === 'Group' ? (
            <div key={item.key} className="table-group" role="row" aria-rowindex={index + 2} style={place}>
              <div role="gridcell">{item.title}</div>
            </div>
          ) : (
            <Row
              key={item.key}
              item={item}
              columns={columns}
              rowIndex={index + 2}
              isActive={item.key === keys.active}
              isSelected={selected?.has(item.key)}
              start={start}
              height={rowHeight}
              onActivate={keys.setActive}
            />
          );
        })}
      </div>
    </div>
  );
}

/** Borders above and below. */
const borders = 2;

/** No higher than what is in it, and no lower than a few rows of that. */
function heightsOf(content: number): CSSProperties {
  return { maxHeight: content + borders, minHeight: `min(16rem, ${content + borders}px)` };
}

function Head<T>({ columns, style }: HeadProps<T>): ReactElement {
  return (
    <div role="rowgroup" className="table-head-group">
      <div className="table-head" role="row" aria-rowindex={1} style={style}>
        {columns.map(({ id, title, isNumber, isTitleHidden, head }) => (
          <div key={id} role="columnheader" data-column={id} data-number={isNumber}>
            {head ?? (isTitleHidden === true ? <span className="hidden-text">{title}</span> : title)}
          </div>
        ))}
      </div>
    </div>
  );
}

function tracksOf(columns: readonly { readonly width: string }[]): string {
  return columns.map(({ width }) => width).join(' ');
}

interface HeadProps<T> {
  readonly columns: readonly Column<T>[];
  readonly style: CSSProperties;
}

interface RowProps<T> {
  readonly item: { readonly key: string; readonly value: T };
  readonly columns: readonly Column<T>[];
  readonly rowIndex: number;
  readonly isActive: boolean;
  readonly isSelected: boolean | undefined;
  readonly start: number;
  readonly height: number;
  readonly onActivate: (key: string) => void;
}

/** While rows scroll, only those that come into view are rendered. */
const Row = memo(RowView) as typeof RowView;

/** The grid has the keys: a row is only clicked. */
function RowView<T>({
  item,
  columns,
  rowIndex,
  isActive,
  isSelected,
  start,
  height,
  onActivate,
}: RowProps<T>): ReactElement {
  return (
    // eslint-disable-next-line jsx-a11y/click-events-have-key-events
    <div
      id={idOf(item.key)}
      className="table-row"
      role="row"
      tabIndex={-1}
      aria-rowindex={rowIndex}
      aria-selected={isSelected}
      data-active={isActive}
      style={{ transform: `translateY(${start}px)`, height, gridTemplateColumns: tracksOf(columns) }}
      onClick={() => onActivate(item.key)}
    >
      {columns.map(({ id, isNumber, cell }) => (
        <div key={id} role="gridcell" data-column={id} data-number={isNumber}>
          {cell(item.value)}
        </div>
      ))}
    </div>
  );
}

interface TableKeys {
  readonly active: string | undefined;
  readonly setActive: (key: string) => void;
  readonly onFocus: (event: FocusEvent) => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
}

/** Which row is active, and what the keys do to it. */
function useTableKeys<T>(
  { items, onOpen, onExplain, onSelect, onSelectAll }: DataTableProps<T>,
  scrollTo: (index: number) => void,
): TableKeys {
  const [active, setActive] = useState<string | undefined>();
  const move = (steps: number): void => {
    const index = nextRow(items, active, steps);
    const next = items[index];
    if (next === undefined) return;
    setActive(next.key);
    scrollTo(index);
  };
  const act = (event: KeyboardEvent, item: RowItem<T>): boolean => {
    // What is in a row has these keys of its own.
    const isOwn = event.target === event.currentTarget;
    if (event.key === 'x' || (event.key === ' ' && isOwn)) onSelect?.(item.key);
    else if (event.key === 'Enter' && isOwn) onOpen?.(item.value);
    else if (event.key === 'w') onExplain?.(item.value);
    else return false;
    return true;
  };
  const selectAll = (event: KeyboardEvent): void => {
    if (onSelectAll === undefined) return;
    event.preventDefault();
    onSelectAll();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) {
      if (event.key === 'a' && !event.altKey) selectAll(event);
      return;
    }
    const steps = stepsOfKeys[event.key];
    const item = items.find(({ key }) => key === active);
    if (steps !== undefined) move(steps);
    else if (item?.kind !== 'Row' || !act(event, item)) return;
    event.preventDefault();
  };
  // What is pressed in a row must not scroll away under the finger.
  const onFocus = ({ target, currentTarget }: FocusEvent): void =>
    active === undefined && target === currentTarget ? move(1) : undefined;
  return { active, setActive, onFocus, onKeyDown };
}

function idOf(key: string): string {
  return `row-${key}`;
}

/** Rows to go by. */
const stepsOfKeys: Readonly<Record<string, number>> = {
  j: 1,
  ArrowDown: 1,
  k: -1,
  ArrowUp: -1,
  PageDown: 15,
  PageUp: -15,
  End: Infinity,
  Home: -Infinity,
};

/** The index of the row so many steps on, past headings and not past the ends. */
function nextRow<T>(items: readonly TableItem<T>[], active: string | undefined, steps: number): number {
  const direction = Math.sign(steps);
  const from = active === undefined ? -1 : items.findIndex(({ key }) => key === active);
  const last = items.length - 1;
  const aim = Math.min(last, Math.max(0, from === -1 ? 0 : from + steps));
  for (let index = aim; index >= 0 && index <= last; index += direction)
    if (items[index]?.kind === 'Row') return index;
  return from;
}
