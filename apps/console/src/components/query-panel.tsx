import { lazy, type ReactElement, Suspense, useState } from 'react';
import { shell } from '../messages/shell.ts';
import type { ShownQuery, ShownRequest } from './shown-query.ts';

const QueryDialog = lazy(() => import('./query-dialog.tsx'));

/** Opens the query or the request behind a panel, to be sent by hand. */
export function QueryButton({ query }: { readonly query: ShownQuery | ShownRequest }): ReactElement {
  const [isOpen, setOpen] = useState(false);
  const title = 'document' in query ? shell.query.show : shell.query.showRequest;
  return (
    <>
      <button
        type="button"
        className="icon-button"
        title={title}
        aria-label={title}
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
