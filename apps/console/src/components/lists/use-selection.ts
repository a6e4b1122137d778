import { useCallback, useMemo, useState } from 'react';

/** Which rows of a table are selected. */
export interface Selection<T> {
  readonly selected: ReadonlySet<string>;
  /** The rows that are found, and selected. */
  readonly chosen: readonly T[];
  readonly isAll: boolean;
  readonly toggle: (key: string) => void;
  /** All rows that are found; none where all are. */
  readonly toggleAll: () => void;
  readonly clear: () => void;
}

/** Follows a selection of rows: what is no longer found stays selected until it is found again, and is not acted on. */
export function useSelection<T>(rows: readonly T[], keyOf: (row: T) => string): Selection<T> {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const chosen = useMemo(
    () => (selected.size === 0 ? [] : rows.filter((row) => selected.has(keyOf(row)))),
    [rows, selected, keyOf],
  );
  const isAll = rows.length > 0 && chosen.length === rows.length;
  const toggle = useCallback(
    (key: string) => setSelected((before) => before.symmetricDifference(new Set([key]))),
    [],
  );
  const clear = useCallback(() => setSelected(new Set()), []);
  const toggleAll = useCallback(
    () => setSelected(new Set(isAll ? [] : rows.map(keyOf))),
    [isAll, rows, keyOf],
  );
  return { selected, chosen, isAll, toggle, toggleAll, clear };
}
