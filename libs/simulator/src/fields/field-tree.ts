/**
 * A set of fields in the form of `fieldsV1`: `f:name` a field, `k:{…}` an item by key, `v:…` an item by value; a node
 * without children is in the set, a node with children only where it also holds `.`.
 *
 * @see https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management
 */
export type FieldTree = { readonly [element: string]: FieldTree };

/** A set that may be empty. */
export type FieldSet = FieldTree | undefined;

/** The key that makes a node with children a member itself. */
export const self = '.';

/** Whether a node itself belongs to the set. */
export function isMember(tree: FieldTree): boolean {
  return self in tree || Object.keys(tree).length === 0;
}

/** The set of a node that is a member or not, and of its children; undefined when that is nothing. */
export function toFieldSet(member: boolean, children: Readonly<Record<string, FieldTree>>): FieldSet {
  if (Object.keys(children).length === 0) return member ? {} : undefined;
  return member ? { [self]: {}, ...children } : children;
}

/** All fields of both. */
export function union(left: FieldSet, right: FieldSet): FieldSet {
  if (left === undefined || right === undefined) return left ?? right;
  return combine(left, right, {
    member: (a, b) => a || b,
    child: (a, b) => union(a, b),
  });
}

/** The fields of the first that are not in the second. */
export function difference(left: FieldSet, right: FieldSet): FieldSet {
  if (left === undefined || right === undefined) return left;
  return combine(left, right, { member: (a, b) => a && !b, child: difference });
}

/** The fields of both at once. */
export function intersection(left: FieldSet, right: FieldSet): FieldSet {
  if (left === undefined || right === undefined) return undefined;
  return combine(left, right, { member: (a, b) => a && b, child: intersection });
}

/** The members as paths of elements, in order. */
export function pathsOf(set: FieldSet, prefix: readonly string[] = []): readonly (readonly string[])[] {
  if (set === undefined) return [];
  const below = childrenOf(set).flatMap(([element, child]) => pathsOf(child, [...prefix, element]));
  return isMember(set) && prefix.length > 0 ? [prefix, ...below] : below;
}

/** A path as Kubernetes prints it: `.spec.containers[name="web"].image`. */
export function pathText(path: readonly string[]): string {
  return path.map(elementText).join('');
}

/** A node's children, without its own key. */
export function childrenOf(tree: FieldTree): [string, FieldTree][] {
  return Object.entries(tree).filter(([element]) => element !== self);
}

interface Combination {
  readonly member: (left: boolean, right: boolean) => boolean;
  readonly child: (left: FieldSet, right: FieldSet) => FieldSet;
}

function combine(left: FieldTree, right: FieldTree, { member, child }: Combination): FieldSet {
  const children: Record<string, FieldTree> = {};
  const elements = new Set([...Object.keys(left), ...Object.keys(right)]);
  elements.delete(self);
  for (const element of [...elements].sort()) {
    const combined = child(left[element], right[element]);
    if (combined !== undefined) children[element] = combined;
  }
  return toFieldSet(member(isMember(left), isMember(right)), children);
}

function elementText(element: string): string {
  const kind = element.slice(0, 2);
  const rest = element.slice(2);
  if (kind === 'f:') return `.${rest}`;
  if (kind === 'v:') return `[=${rest}]`;
  const keys = Object.entries(JSON.parse(rest) as Record<string, unknown>);
  return `[${keys.map(([key, value]) => `${key}=${JSON.stringify(value)}`).join(',')}]`;
}
