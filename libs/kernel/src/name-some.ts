/** The first names of a list, and how many more there are: `a, b and 3 more`. */
export function nameSome(names: readonly string[], maximum: number): string {
  const others = names.length - maximum;
  const named = names.slice(0, maximum).join(', ');
  return others > 0 ? `${named} and ${others} more` : named;
}
