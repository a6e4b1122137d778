import { type Instant, parseInstant } from '#kernel';

/** An observed time, undefined where there is none. */
export function instantOf(text: string | null | undefined): Instant | undefined {
  return text === null || text === undefined ? undefined : parseInstant(text);
}
