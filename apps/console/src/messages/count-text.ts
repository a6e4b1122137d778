/** A count as it is written everywhere: `1,264`. */
export function countText(count: number): string {
  return count.toLocaleString('en');
}
