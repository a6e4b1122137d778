import type { ReactElement } from 'react';
import { EmptyState } from '../../components/empty-state.tsx';

/** Being built. */
export default function PlaygroundPage(): ReactElement {
  return (
    <EmptyState title="Playground">Not here yet: ask the API, at /graphql, or the command line.</EmptyState>
  );
}
