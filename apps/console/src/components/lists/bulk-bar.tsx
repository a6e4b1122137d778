import type { ReactElement, ReactNode } from 'react';
import { actions as texts } from '../../messages/actions.ts';

interface BulkBarProps {
  readonly count: number;
  readonly onClear: () => void;
  /** What can be done to them. */
  readonly children: ReactNode;
}

/** What can be done to the rows that are selected, below their table. */
export function BulkBar({ count, onClear, children }: BulkBarProps): ReactElement {
  const title = texts.selected(count);
  return (
    <div className="bulk" role="toolbar" aria-label={title}>
      <strong>{title}</strong>
      {children}
      <button type="button" className="button" onClick={onClear}>
        {texts.clearSelection}
      </button>
    </div>
  );
}
