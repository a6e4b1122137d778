/** Of a button that filters are folded behind: how many of them are set. */
export function filtersText(count: number): string {
  return count === 0 ? 'Filters' : `Filters (${count})`;
}
