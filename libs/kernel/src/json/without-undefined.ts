type Defined<T> = { readonly [K in keyof T]?: Exclude<T[K], undefined> };

/** The same object without keys whose value is undefined: what `exactOptionalPropertyTypes` tells apart from absent. */
export function withoutUndefined<T extends object>(value: T): Defined<T> {
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined)) as Defined<T>;
}
