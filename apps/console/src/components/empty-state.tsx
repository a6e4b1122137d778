import type { ReactElement, ReactNode } from 'react';
import { Mark } from './mark.tsx';

/** What to do where there is nothing yet. */
export interface EmptyStateProps {
  readonly title: string;
  readonly children: ReactNode;
}

/** A place without anything to show, that says why and what to do. */
export function EmptyState({ title, children }: EmptyStateProps): ReactElement {
  return (
    <div className="empty">
      <Mark size={36} />
      <h2>{title}</h2>
      <div className="empty-text">{children}</div>
    </div>
  );
}
