import type { OperationResult } from 'urql';
import { fieldTypes, typeMembers } from './answer-types.generated.ts';

type Document = OperationResult['operation']['query'];
type Definition = Document['definitions'][number];
type SelectionSet = Extract<Definition, { operation: unknown }>['selectionSet'];
type Selection = SelectionSet['selections'][number];
type FieldNode = Extract<Selection, { arguments?: unknown }>;
type FragmentNode = Exclude<Selection, FieldNode>;
type Fragments = ReadonlyMap<string, Extract<Definition, { typeCondition: unknown }>>;

/** A type as the schema writes it, taken apart. */
interface AnswerType {
  readonly isRequired: boolean;
  /** Of a list, which has no name. */
  readonly item?: AnswerType;
  readonly name: string;
}

/**
 * Where an answer is not what its document asks for, by the types of the schema: a path such as
 * `policies.edges.3.node.name`, empty where it is not as a whole. Undefined: it is. Of values that the schema calls JSON
 * nothing is known.
 */
export function faultOf(data: unknown, { definitions }: Document): string | undefined {
  const fragments: Fragments = new Map(
    definitions.flatMap((each) => ('typeCondition' in each ? [[each.name.value, each] as const] : [])),
  );
  for (const definition of definitions) {
    if (!('operation' in definition)) continue;
    const type = definition.operation.replace(/^./, (first) => first.toUpperCase());
    const fault = faultOfObject(data, { type, selectionSet: definition.selectionSet, fragments });
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** What is asked of an object. */
interface Asked {
  /** That it has by what was asked before it: the name of an object type, an interface or a union. */
  readonly type: string;
  /** Absent: of a value that has no fields. */
  readonly selectionSet?: SelectionSet | undefined;
  readonly fragments: Fragments;
}

type AnsweredObject = Readonly<Record<string, unknown>>;

function faultOfObject(value: unknown, asked: Asked): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return '';
  return faultOfFields(value as AnsweredObject, asked);
}

function faultOfFields(value: AnsweredObject, asked: Asked): string | undefined {
  for (const selection of asked.selectionSet?.selections ?? []) {
    const fault = isField(selection)
      ? within(keyOf(selection), faultOfField(value, selection, asked))
      : faultOfFragment(value, selection, asked);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** The parser writes the alias of each field, also where there is none. */
function isField(selection: Selection): selection is FieldNode {
  return 'alias' in selection;
}

function keyOf({ alias, name }: FieldNode): string {
  return (alias ?? name).value;
}

function within(key: string | number, fault: string | undefined): string | undefined {
  if (fault === undefined) return undefined;
  return fault === '' ? String(key) : `${key}.${fault}`;
}

function faultOfField(value: AnsweredObject, field: FieldNode, asked: Asked): string | undefined {
  const key = keyOf(field);
  // What is asked for under a condition need not be there.
  if (!Object.hasOwn(value, key)) return field.directives?.length ? undefined : '';
  if (field.name.value === '__typename') return isTypeName(value[key], asked.type) ? undefined : '';
  const written = fieldTypes[asked.type]?.[field.name.value];
  // The documents and the table are made together: a field that it lacks is none of theirs.
  if (written === undefined) return undefined;
  return faultOfValue(value[key], typeOf(written), { ...asked, selectionSet: field.selectionSet });
}

/** What a fragment asks for, where the object is of its type. */
function faultOfFragment(value: AnsweredObject, selection: FragmentNode, asked: Asked): string | undefined {
  const fragment = 'selectionSet' in selection ? selection : asked.fragments.get(selection.name.value);
  if (fragment === undefined) return undefined;
  const type = fragment.typeCondition?.name.value ?? asked.type;
  if (type !== asked.type && !isTypeName(value['__typename'], type)) return undefined;
  return faultOfFields(value, { ...asked, type, selectionSet: fragment.selectionSet });
}

function faultOfValue(value: unknown, type: AnswerType, asked: Asked): string | undefined {
  if (value === null) return type.isRequired ? '' : undefined;
  if (type.item !== undefined) return faultOfItems(value, type.item, asked);
  if (asked.selectionSet !== undefined) return faultOfObject(value, { ...asked, type: type.name });
  return isLeaf(value, type.name) ? undefined : '';
}

function faultOfItems(value: unknown, item: AnswerType, asked: Asked): string | undefined {
  if (!Array.isArray(value)) return '';
  for (const [index, each] of value.entries()) {
    const fault = within(index, faultOfValue(each, item, asked));
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function isLeaf(value: unknown, name: string): boolean {
  switch (name) {
    case 'JSON':
      return true;
    case 'Int':
    case 'Float':
      return typeof value === 'number';
    case 'Boolean':
      return typeof value === 'boolean';
    default: {
      // A text, an id or a member of an enum.
      if (typeof value !== 'string') return false;
      return typeMembers[name]?.includes(value) ?? true;
    }
  }
}

/** Of an object of a type, or of one that an interface or a union stands for. */
function isTypeName(value: unknown, type: string): boolean {
  return typeof value === 'string' && (typeMembers[type]?.includes(value) ?? value === type);
}

const taken = new Map<string, AnswerType>();

/** The few types that there are are taken apart once each. */
function typeOf(written: string): AnswerType {
  const known = taken.get(written);
  if (known !== undefined) return known;
  const isRequired = written.endsWith('!');
  const bare = isRequired ? written.slice(0, -1) : written;
  const type = bare.startsWith('[')
    ? { isRequired, item: typeOf(bare.slice(1, -1)), name: '' }
    : { isRequired, name: bare };
  taken.set(written, type);
  return type;
}
