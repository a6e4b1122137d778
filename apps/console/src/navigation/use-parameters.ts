import { useCallback } from 'react';
import { type NavigateOptions, useSearchParams } from 'react-router';

/** What the parameters are to be, by what they are. */
type Change = (now: URLSearchParams) => URLSearchParams;

/**
 * The parameters of the address, and what changes them. What is shown may be behind the address, as in a browser that is
 * busy: a change of what is shown would take back the one before it, so a change begins with what the address has.
 */
export function useParameters(): readonly [
  URLSearchParams,
  (change: Change, options?: NavigateOptions) => void,
] {
  const [shown, setParameters] = useSearchParams();
  const change = useCallback(
    (next: Change, options?: NavigateOptions) =>
      setParameters(next(new URLSearchParams(window.location.search)), options),
    [setParameters],
  );
  return [shown, change];
}
