import {
  getNamedType,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  isAbstractType,
  isLeafType,
  isObjectType,
  isRequiredArgument,
} from 'graphql';

/** What arguments are given, by name, as GraphQL text. */
export type ArgumentValues = Readonly<Record<string, string>>;

/** Below the server's own. */
const maximumDepth = 9;

/** Fields of a query that may be megabytes are asked for where the answer has few of them. */
const largeFields: ReadonlySet<string> = new Set(['input', 'blame', 'effects', 'period']);
const largeFieldDepth = 3;

/**
 * `Source.revisions` says the same by the same function, `policy` has the decision of a pass, and the answer to a mutation
 * alone what an intervention met as it began: queries stay within their limits.
 */
const isSaidElsewhere = (field: string, path: readonly string[]): boolean =>
  field === 'recentRevisions' ||
  field === 'begun' ||
  (field === 'decision' && path.at(-1) === 'status' && path[0] !== 'policy');

/** What all entries say alike: it needs no name of its own in each fragment. */
const headerFields: ReadonlySet<string> = new Set(['id', 'cluster', 'hash', 'previousHash']);

/**
 * A query of a root field and everything below it, down to a depth; `optional` arguments are given, too. A required
 * argument that has no value is an error: a new field must say what it is asked about.
 */
export function queryOfAll(
  schema: GraphQLSchema,
  root: GraphQLField<unknown, unknown>,
  given: { readonly required: ArgumentValues; readonly optional: ArgumentValues },
): string {
  const known = new Set<string>();
  const path: string[] = [];
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
    if (isSaidElsewhere(field.name, path)) return null;
    const isInList = path.length > 1 && path.at(-1) !== 'node';
    if (largeFields.has(field.name) && (depth > largeFieldDepth || isInList)) return null;
    path.push(field.name);
    const inner = selectionOf(type, depth + 1);
    path.pop();
    return inner === null ? null : `${alias}${field.name}${argumentsOf(field, depth)}${inner}`;
  };
  /** Empty for what has no fields; null where nothing can be asked for at this depth. */
  const selectionOf = (type: GraphQLNamedType, depth: number): string | null => {
    if (isObjectType(type)) return enclosed(fieldsOf(type, depth));
    if (!isAbstractType(type)) return '';
    const possible = schema.getPossibleTypes(type);
    const fresh = new Set(possible.filter(({ name }) => !known.has(name)));
    for (const { name } of fresh) known.add(name);
    const fragments = possible.map((one) => {
      const fields = fresh.has(one) ? fieldsIn(one, { depth, prefix: one.name }) : [];
      return `... on ${one.name} ${enclosed(fields) ?? '{ __typename }'}`;
    });
    return depth > maximumDepth ? null : `{ ${fragments.join(' ')} }`;
  };
  /** A type that is asked for in full elsewhere is asked for its plain fields: the query stays within its limits. */
  const fieldsOf = (type: GraphQLObjectType, depth: number): readonly string[] => {
    const isKnown = known.has(type.name) && !isWrapper(type);
    known.add(type.name);
    return fieldsIn(type, { depth, prefix: '' }, (field) => !isKnown || isLeafType(getNamedType(field.type)));
  };
  const fieldsIn = (
    type: GraphQLObjectType,
    { depth, prefix }: { readonly depth: number; readonly prefix: string },
    isWanted: (field: GraphQLField<unknown, unknown>) => boolean = () => true,
  ): readonly string[] => {
    if (depth > maximumDepth) return [];
    return Object.values(type.getFields())
      .filter(isWanted)
      .flatMap((field) => {
        const isPlain = prefix === '' || headerFields.has(field.name);
        return fieldText(field, depth, isPlain ? '' : `${prefix}_${field.name}: `) ?? [];
      });
  };
  return `{ ${fieldText(root, 0) ?? root.name} }`;
}

/** Connections and edges have no fields of their own to speak of. */
function isWrapper({ name }: GraphQLNamedType): boolean {
  return /(?:Connection|Edge)$/.test(name);
}

function enclosed(texts: readonly string[]): string | null {
  return texts.length === 0 ? null : `{ ${texts.join(' ')} }`;
}
