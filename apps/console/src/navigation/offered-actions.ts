import { useEffect, useLayoutEffect, useRef } from 'react';
import { createStore } from '../state/store.ts';

interface OfferedAction {
  readonly title: string;
  readonly opens: () => void;
}

/** What the page that is shown offers to do, a button each. */
export const offeredActions = createStore<ReadonlySet<OfferedAction>>(new Set());

/** Lets the palette begin an action for as long as its button is there and can be pressed. */
export function useOfferedAction(title: string, onBegin: () => void, isOffered: boolean): void {
  const latest = useRef(onBegin);
  useLayoutEffect(() => {
    latest.current = onBegin;
  });
  useEffect(() => {
    if (!isOffered) return undefined;
    const action = { title, opens: () => latest.current() };
    offeredActions.set(new Set([...offeredActions.get(), action]));
    return () => offeredActions.set(new Set([...offeredActions.get()].filter((each) => each !== action)));
  }, [title, isOffered]);
}

/** Those whose title says which is meant: of the ends of many interventions none does. */
export function distinctActions(offered: ReadonlySet<OfferedAction>): readonly OfferedAction[] {
  const byTitle = Map.groupBy(offered, ({ title }) => title);
  return [...byTitle.values()].flatMap((actions) => (actions.length === 1 ? actions : []));
}
