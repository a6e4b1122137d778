/** The first names of a list, `maximum` at the most, and how many more there are: `a, b and 3 more`. */
export function nameSome(names: readonly (string | number)[], maximum: number, separator = ', '): string {
  const others = names.length - maximum;
  const named = names.slice(0, maximum).join(separator);
  return others > 0 ? `${named} and ${others} more` : named;
}
