import type { ReactElement } from 'react';
import { EmptyState } from '../../components/empty-state.tsx';

/** Being built. */
export default function AuditPage(): ReactElement {
  return <EmptyState title="Audit">Not here yet: ask the API, at /graphql, or the command line.</EmptyState>;
}
