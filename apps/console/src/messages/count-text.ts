/** A count as it is written everywhere: `1,264`. */
export function countText(count: number): string {
  return count.toLocaleString('en');
}

/** A count that the API gives as digits, since it may be beyond what a number holds: `1,264`. */
export function digitsText(digits: string): string {
  return /^\d+$/.test(digits) ? BigInt(digits).toLocaleString('en') : digits;
}
