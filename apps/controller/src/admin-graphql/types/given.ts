/** The fields that are there: null in an input is the same as nothing. */
export function given<T extends object>(input: T): { readonly [K in keyof T]?: Exclude<T[K], null> } {
  const entries = Object.entries(input).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(entries) as { readonly [K in keyof T]?: Exclude<T[K], null> };
}
