import { useEffect, useRef } from 'react';
import type { AnyVariables } from 'urql';
import { client } from './client.ts';
import type { TypedDocument } from './typed-document.ts';

/** Calls the function with each event of a subscription, for as long as the component is there. */
export function useEvents<R, V extends AnyVariables>(
  document: TypedDocument<R, V>,
  variables: V,
  onEvent: (event: R) => void,
): void {
  const listener = useRef(onEvent);
  useEffect(() => {
    listener.current = onEvent;
  });
  const key = JSON.stringify(variables);
  useEffect(() => {
    const subscription = client
      .subscription<R, V>(document.text, JSON.parse(key) as V)
      .subscribe(({ data }) => {
        if (data !== undefined) listener.current(data);
      });
    return () => subscription.unsubscribe();
  }, [document.text, key]);
}

/** However much is told, it is asked again no more often. */
const restMilliseconds = 1_000;

/** Asks again when something is told: once for all that is told within a second. */
export function useAskingAgain<R, V extends AnyVariables>(
  document: TypedDocument<R, V>,
  variables: V,
  ask: () => void,
): void {
  const latest = useRef(ask);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    latest.current = ask;
  });
  useEffect(
    () => () => {
      clearTimeout(timer.current);
      timer.current = undefined;
    },
    [timer],
  );
  useEvents(document, variables, () => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      latest.current();
    }, restMilliseconds);
  });
}
