/** A place in a list that is ordered by time: the entry's time, then where the database put it. */
export interface EntryCursor {
  readonly timeNanoseconds: bigint;
  /** Grows with every entry; known to this database only. */
  readonly position: bigint;
}

const form = /^([0-9]{1,19})\.([1-9][0-9]{0,18})$/;
const largest = 2n ** 63n - 1n;

/** A cursor as an opaque text. */
export function encodeCursor({ timeNanoseconds, position }: EntryCursor): string {
  return `${timeNanoseconds}.${position}`;
}

/** The place that a text stands for; `null` when it is no cursor. */
export function parseCursor(text: string): EntryCursor | null {
  const [, time, place] = form.exec(text) ?? [];
  if (time === undefined || place === undefined) return null;
  const cursor = { timeNanoseconds: BigInt(time), position: BigInt(place) };
  return cursor.timeNanoseconds > largest || cursor.position > largest ? null : cursor;
}
