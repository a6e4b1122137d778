import { registerEnumType } from '@nestjs/graphql';

/** Registers the words of a union as an enum of the schema, and returns it for `@Field`. */
export function enumOf<T extends string>(
  name: string,
  values: readonly T[],
  description: string,
): { readonly [Value in T]: Value } {
  const type = Object.fromEntries(values.map((value) => [value, value])) as { readonly [Value in T]: Value };
  registerEnumType(type, { name, description });
  return type;
}
