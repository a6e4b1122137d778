import { registerEnumType } from '@nestjs/graphql';

/**
 * Registers the words of a union as an enum of the schema, and returns it for `@Field`.
 *
 * @param meanings what each word means, for the readers of the schema
 */
export function enumOf<T extends string>(
  name: string,
  description: string,
  meanings: Readonly<Record<T, string>>,
): { readonly [Value in T]: Value } {
  const type = Object.fromEntries(Object.keys(meanings).map((word) => [word, word])) as {
    readonly [Value in T]: Value;
  };
  registerEnumType(type, { name, description, valuesMap: descriptionsOf(meanings) });
  return type;
}

function descriptionsOf<T extends string>(
  meanings: Readonly<Record<T, string>>,
): Record<T, { readonly description: string }> {
  const entries = Object.entries<string>(meanings).map(([word, description]) => [word, { description }]);
  return Object.fromEntries(entries) as Record<T, { readonly description: string }>;
}
