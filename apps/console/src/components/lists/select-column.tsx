import type { Column } from './data-table.tsx';

interface SelectColumnOptions<T> {
  readonly title: string;
  readonly titleOfAll: string;
  readonly keyOf: (item: T) => string;
  /** What the box of a row is called. */
  readonly titleOf: (item: T) => string;
  readonly selected: ReadonlySet<string>;
  /** Of the rows that are found. */
  readonly isAll: boolean;
  readonly toggle: (key: string) => void;
  readonly toggleAll: () => void;
}

/** Boxes before the rows, for those who point; the keys of the table do the same. */
export function selectColumn<T>(options: SelectColumnOptions<T>): Column<T> {
  const { title, titleOfAll, keyOf, titleOf, selected, isAll, toggle, toggleAll } = options;
  return {
    id: 'select',
    title,
    width: '1rem',
    head: (
      <input
        type="checkbox"
        tabIndex={-1}
        aria-label={titleOfAll}
        title={titleOfAll}
        checked={isAll}
        ref={(box) => {
          if (box !== null) box.indeterminate = !isAll && selected.size > 0;
        }}
        onChange={toggleAll}
      />
    ),
    cell: (item) => (
      <input
        type="checkbox"
        tabIndex={-1}
        aria-label={titleOf(item)}
        checked={selected.has(keyOf(item))}
        onChange={() => toggle(keyOf(item))}
      />
    ),
  };
}
