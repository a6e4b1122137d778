import { lazy, type ReactElement, Suspense, useState } from 'react';
import { shell } from '../messages/shell.ts';
import type { ShownQuery } from './shown-query.ts';

const QueryDialog = lazy(() => import('./query-dialog.tsx'));

/** Opens the query behind a panel, to be asked by hand. */
export function QueryButton({ query }: { readonly query: ShownQuery }): ReactElement {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        className="icon-button"
        title={shell.query.show}
        aria-label={shell.query.show}
        onClick={() => setOpen(true)}
      >
        {'{ }'}
      </button>
      {isOpen ? (
        <Suspense>
          <QueryDialog query={query} onClose={() => setOpen(false)} />
        </Suspense>
      ) : null}
    </>
  );
}
