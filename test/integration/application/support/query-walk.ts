import {
  getNamedType,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  isAbstractType,
  isObjectType,
  isRequiredArgument,
} from 'graphql';

/** What arguments are given, by name, as GraphQL text. */
export type ArgumentValues = Readonly<Record<string, string>>;

/** Below the server's own. */
const maximumDepth = 9;

/** Fields of a query that may be megabytes are asked for where the answer has few of them. */
const largeField = 'input';
const largeFieldDepth = 3;

/**
 * A query of a root field and everything below it, down to a depth; `optional` arguments are given, too. A required
 * argument that has no value is an error: a new field must say what it is asked about.
 */
export function queryOfAll(
  schema: GraphQLSchema,
  root: GraphQLField<unknown, unknown>,
  given: { readonly required: ArgumentValues; readonly optional: ArgumentValues },
): string {
  const argumentsOf = ({ name: field, args }: GraphQLField<unknown, unknown>, depth: number): string => {
    const texts = args.flatMap((argument) => {
      const { name } = argument;
      const value =
        name === 'first'
          ? String(depth === 0 ? 3 : 1)
          : (given.optional[name] ?? (isRequiredArgument(argument) ? given.required[name] : undefined));
      if (value === undefined && isRequiredArgument(argument))
        throw new Error(`${field} wants ${name}: give it a value`);
      return value === undefined ? [] : [`${name}: ${value}`];
    });
    return texts.length === 0 ? '' : `(${texts.join(', ')})`;
  };
  const fieldText = (field: GraphQLField<unknown, unknown>, depth: number, alias = ''): string | null => {
    const type = getNamedType(field.type);
    if (field.name === largeField && depth > largeFieldDepth) return null;
    const inner = selectionOf(type, depth + 1);
    return inner === null ? null : `${alias}${field.name}${argumentsOf(field, depth)}${inner}`;
  };
  /** Empty for what has no fields; null where nothing can be asked for at this depth. */
  const selectionOf = (type: GraphQLNamedType, depth: number): string | null => {
    if (isObjectType(type)) return enclosed(fieldsOf(type, depth, ''));
    if (!isAbstractType(type)) return '';
    const fragments = schema.getPossibleTypes(type).map((possible) => {
      return `... on ${possible.name} ${enclosed(fieldsOf(possible, depth, possible.name)) ?? '{ __typename }'}`;
    });
    return depth > maximumDepth ? null : `{ ${fragments.join(' ')} }`;
  };
  const fieldsOf = (type: GraphQLNamedType, depth: number, prefix: string): readonly string[] => {
    if (!isObjectType(type) || depth > maximumDepth) return [];
    return Object.values(type.getFields()).flatMap(
      (field) => fieldText(field, depth, prefix === '' ? '' : `${prefix}_${field.name}: `) ?? [],
    );
  };
  return `{ ${fieldText(root, 0) ?? root.name} }`;
}

function enclosed(texts: readonly string[]): string | null {
  return texts.length === 0 ? null : `{ ${texts.join(' ')} }`;
}
