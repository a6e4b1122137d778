import { eventually } from '../../control-plane/poll.ts';

/** How long something may take that usually takes a second or two: the machine may be busy. */
const timeoutMilliseconds = 45_000;

/** Waits for what usually comes within seconds. */
export function soon<T>(
  description: string,
  probe: () => Promise<T | undefined> | T | undefined,
): Promise<T> {
  return eventually({ description, probe: async () => probe(), timeoutMilliseconds });
}
