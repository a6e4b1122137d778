/**
 * The same shape, as a type that TypeScript lets pass for JSON: interfaces have no index signature, mapped types do
 * not need one. A shape with something in it that JSON cannot carry (a bigint, a Date) does not pass.
 */
export type AsJson<T> = T extends readonly (infer Item)[]
  ? readonly AsJson<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: AsJson<T[Key]> }
    : T;
