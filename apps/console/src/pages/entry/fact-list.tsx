import type { ReactElement, ReactNode } from 'react';

/** A title and what stands beside it. */
export type Fact = readonly [title: string, value: ReactNode];

/** Titles and values beside each other. */
export function FactList({ rows }: { readonly rows: readonly Fact[] }): ReactElement {
  return (
    <dl className="facts">
      {rows.map(([title, value]) => (
        <div key={title} className="facts-row">
          <dt>{title}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
