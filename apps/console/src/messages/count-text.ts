/** A count as it is written everywhere: `1,264`. */
export function countText(count: number): string {
  return count.toLocaleString('en');
}

/** A count that the API gives as digits, since it may be beyond what a number holds: `1,264`. */
export function digitsText(digits: string): string {
  return /^\d+$/.test(digits) ? BigInt(digits).toLocaleString('en') : digits;
}

/** With its noun: `1 stream`, `448 entries`. */
export function counted(count: string, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === '1' ? noun : plural}`;
}
