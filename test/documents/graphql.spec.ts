import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import {
  buildSchema,
  type GraphQLNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isSpecifiedScalarType,
  parse,
  validate,
} from 'graphql';
import { type Described, undescribed } from './undescribed.ts';

const root = join(import.meta.dirname, '..', '..');

const schema = buildSchema(readFileSync(join(root, 'schema.graphql'), 'utf8'));

const types = Object.values(schema.getTypeMap()).filter(
  (type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type),
);

it('says of every type, field, argument and word of the GraphQL schema what it is', () => {
  const all = types.flatMap(partsOf);
  const places = all.map(({ place }) => place);
  expect(places).toEqual(
    expect.arrayContaining([
      'Query',
      'Decision.reason',
      'Query.decision.id',
      'AuditFilterInput.actor',
      'EntryKind.KeyLost',
      'PolicyEdge.cursor',
    ]),
  );
  expect(undescribed(all)).toEqual([]);
});

/** Documents as they are written down: whole in a block, or as a query within a line. */
const written = globSync('docs/**/*.md', { cwd: root }).flatMap((file) =>
  [...readFileSync(join(root, file), 'utf8').matchAll(/```graphql\n([^`]+)```|`(\{ [a-z][^`]+ \})`/g)]
    .map(([, block, query]) => block ?? query ?? '')
    .map((document) => ({ file, document })),
);

it('answers the queries that the documents show', () => {
  expect(written.filter(({ file }) => file.endsWith('graphql.md')).length).toBeGreaterThan(10);
  const wrong = written.flatMap(({ file, document }) =>
    validate(schema, parse(document)).map(({ message }) => `${file}: ${message}`),
  );
  expect(wrong).toEqual([]);
});

/** A type, and what it is made of. */
function partsOf(type: GraphQLNamedType): readonly Described[] {
  const { name, description } = type;
  const own = { place: name, description };
  if (isEnumType(type)) return [own, ...type.getValues().map((word) => partOf(name, word))];
  if (isInputObjectType(type))
    return [own, ...Object.values(type.getFields()).map((field) => partOf(name, field))];
  if (!isObjectType(type) && !isInterfaceType(type)) return [own];
  const fields = Object.values(type.getFields()).flatMap((field) => [
    partOf(name, field),
    ...field.args.map((argument) => partOf(`${name}.${field.name}`, argument)),
  ]);
  return [own, ...fields];
}

function partOf(
  place: string,
  { name, description }: { readonly name: string; readonly description?: string | null | undefined },
): Described {
  return { place: `${place}.${name}`, description };
}
