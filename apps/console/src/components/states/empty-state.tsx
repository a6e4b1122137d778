import type { ReactElement, ReactNode } from 'react';
import { Mark } from './mark.tsx';

/** What to do where there is nothing yet. */
export interface EmptyStateProps {
  readonly title: string;
  /** It is all that the page has. */
  readonly isPage?: boolean;
  readonly children: ReactNode;
}

/** A place without anything to show, that says why and what to do. */
export function EmptyState({ title, isPage = false, children }: EmptyStateProps): ReactElement {
  return (
    <div className="empty">
      <Mark size={36} />
      {isPage ? <h1>{title}</h1> : <h2>{title}</h2>}
      <div className="empty-text">{children}</div>
    </div>
  );
}
