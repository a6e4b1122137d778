import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  buildSchema,
  getNamedType,
  type GraphQLArgument,
  type GraphQLEnumType,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLScalarType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import type { StringPlace } from './hostile-strings.ts';
import { plainValue } from './plain-values.ts';

const schema = buildSchema(readFileSync(join(import.meta.dirname, '../../../../schema.graphql'), 'utf8'));

type Field = GraphQLField<unknown, unknown>;
type Input = GraphQLArgument | GraphQLInputField;

/** How a field of a type is asked for; null: its filters are those of queries. */
const waysTo: Readonly<Record<string, ((field: string) => string) | null>> = {
  Query: (field) => `{ ${field} }`,
  Mutation: (field) => `mutation { ${field} }`,
  Policy: (field) => `{ policies { edges { node { ${field} } } } }`,
  Source: (field) => `{ sources { ${field} } }`,
  PolicyEffect: (field) => `{ sources { holds { effects { ${field} } } } }`,
  Subscription: null,
};

/** Every place for a text in queries and mutations. @throws Error where a new type takes texts */
export function graphqlPlaces(): readonly StringPlace[] {
  return Object.values(schema.getTypeMap())
    .filter(isObjectType)
    .flatMap((type) => Object.values(type.getFields()).flatMap((field) => placesOf(type.name, field)));
}

function placesOf(type: string, field: Field): readonly StringPlace[] {
  return field.args.flatMap(textsIn).flatMap((path) => {
    const way = waysTo[type];
    if (way === undefined)
      throw new Error(`${type}.${field.name} takes a text: say how ${type} is asked for`);
    if (way === null) return [];
    const requestWith = (text: string) => ({
      path: '/graphql',
      method: 'POST',
      body: { query: way(fieldText(field, path, text)) },
    });
    return [{ place: `${type}.${field.name}(${path.join('.')})`, requestWith }];
  });
}

/** The paths to the texts in an argument, or in a field of one. */
function textsIn({ name, type }: Input): readonly (readonly string[])[] {
  const named = getNamedType(type);
  if (isInputObjectType(named)) {
    return Object.values(named.getFields())
      .flatMap(textsIn)
      .map((path) => [name, ...path]);
  }
  return named.name === 'String' || named.name === 'ID' ? [[name]] : [];
}

function fieldText({ name, args, type }: Field, path: readonly string[], text: string): string {
  const given = inputText(name, args, { path, text });
  return `${name}${given === '' ? '' : `(${given})`}${isLeafType(getNamedType(type)) ? '' : ' { __typename }'}`;
}

/** A text, and where in an argument it stands. */
interface Placed {
  readonly path: readonly string[];
  readonly text: string;
}

/** What is required, what leads to the place, and `dryRun`. */
function inputText(operation: string, inputs: readonly Input[], { path, text }: Placed): string {
  const [first, ...rest] = path;
  return inputs
    .filter(({ name, type }) => name === first || name === 'dryRun' || isNonNullType(type))
    .filter(({ name, defaultValue }) => name === first || defaultValue === undefined)
    .map(({ name, type }) => {
      const placed = name === first ? { path: rest, text } : undefined;
      return `${name}: ${valueText({ operation, name, type }, placed)}`;
    })
    .join(', ');
}

interface Wanted {
  readonly operation: string;
  readonly name: string;
  readonly type: GraphQLInputType;
}

function valueText({ operation, name, type }: Wanted, placed: Placed | undefined): string {
  if (isNonNullType(type)) return valueText({ operation, name, type: type.ofType }, placed);
  if (isListType(type)) return `[${valueText({ operation, name, type: type.ofType }, placed)}]`;
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields());
    return `{ ${inputText(operation, fields, placed ?? { path: [], text: '' })} }`;
  }
  return leafText(type) ?? JSON.stringify(placed?.text ?? plainValue(operation, name));
}

/** Undefined: it is a text. */
function leafText(type: GraphQLEnumType | GraphQLScalarType): string | undefined {
  return isEnumType(type) ? type.getValues()[0]?.name : scalars[type.name];
}

/** A value of each scalar that is no text. */
const scalars: Readonly<Record<string, string>> = { Boolean: 'true', Int: '1', Float: '1' };
