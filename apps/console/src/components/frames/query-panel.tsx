import { type ReactElement, Suspense, useState } from 'react';
import { common } from '../../messages/common.ts';
import { lazyPart } from '../states/lazy-part.tsx';
import { type Shown, shownQueries } from './shown-query.ts';

const QueryDialog = lazyPart(() => import('./query-dialog.tsx'));

/** Opens the queries or the request behind a panel, to be sent by hand. */
export function QueryButton({ query }: { readonly query: Shown }): ReactElement {
  const [isOpen, setOpen] = useState(false);
  const title = shownQueries(query) === undefined ? common.query.showRequest : common.query.show;
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
