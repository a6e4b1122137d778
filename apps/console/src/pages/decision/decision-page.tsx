import type { ReactElement } from 'react';
import { EmptyState } from '../../components/empty-state.tsx';

/** Being built. */
export default function DecisionPage(): ReactElement {
  return (
    <EmptyState title="Decision">Not here yet: ask the API, at /graphql, or the command line.</EmptyState>
  );
}
