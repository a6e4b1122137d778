import type { ReactElement } from 'react';

/** A JSON value that is another than it was; absent: it was not there, or is there no more. */
export interface ValueChange {
  readonly path: string;
  readonly before?: unknown;
  readonly after?: unknown;
}

/** What changed, a value in a line: as it was, and as it is. */
export function ChangeList({ changes, absent }: ChangeListProps): ReactElement {
  const textOf = (value: unknown): string => {
    if (value === undefined) return absent;
    return typeof value === 'string' ? value : JSON.stringify(value);
  };
  return (
    <ul className="changes">
      {changes.map((change) => (
        <li key={change.path}>
          <code>{change.path}</code>{' '}
          <span>
            <del>{textOf(change.before)}</del> → <ins>{textOf(change.after)}</ins>
          </span>
        </li>
      ))}
    </ul>
  );
}

interface ChangeListProps {
  readonly changes: readonly ValueChange[];
  /** What stands for a value that is not there. */
  readonly absent: string;
}
