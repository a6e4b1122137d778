import type { Problem } from '../diagnostics/diagnostic.ts';
import type { PolicyDocumentKind } from '../model/effective-policy.ts';
import { Fields, fieldSet, type Item, readDocument, readMap } from '../reading/fields.ts';
import { isMap } from '../reading/is-map.ts';
import { ProblemList } from '../reading/problem-list.ts';
import { showValue } from '../reading/show-value.ts';
import { isTimeText } from '../reading/time-text.ts';

/** What a server writes into `metadata`: in a file it does nothing. */
export const serverSetFields = [
  'selfLink',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'managedFields',
] as const;

const managedFieldsFields = fieldSet(
  'manager',
  'operation',
  'apiVersion',
  'time',
  'fieldsType',
  'fieldsV1',
  'subresource',
);

/** Checks the types of what a server sets, as the server does, and warns once of all that is there, `status` too. */
export function readServerSet(document: Fields, metadata: Fields, kind: PolicyDocumentKind | 'Other'): void {
  checkTypes(metadata, kind);
  const names = [
    ...serverSetFields.filter((name) => metadata.has(name)),
    ...(document.has('status') ? ['status'] : []),
  ];
  const [first] = names;
  if (first === undefined) return;
  const isOne = names.length === 1;
  const message = `${listed(names)} ${isOne ? 'is' : 'are'} set by the server; here ${isOne ? 'it does' : 'they do'} nothing`;
  const place = first === 'status' ? document.place : metadata.place;
  place.child(first).report({
    severity: 'warning',
    code: 'ServerSetField',
    message,
    hint: `remove ${isOne ? 'it' : 'them'}`,
  });
}

/** `a`, `a and b`, `a, b and c`. */
function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${String(names.at(-1))}`;
}

function checkTypes(fields: Fields, kind: PolicyDocumentKind | 'Other'): void {
  fields.string('selfLink');
  fields.string('uid');
  fields.string('resourceVersion');
  fields.int64('generation', kind === 'HorizontalPodAutoscaler' ? 0n : undefined);
  fields.int64('deletionGracePeriodSeconds');
  readTime(fields, 'creationTimestamp');
  readTime(fields, 'deletionTimestamp');
  for (const item of fields.list('managedFields') ?? []) readManagedFields(item);
}

function readManagedFields(item: Item): void {
  const fields = readMap(item, managedFieldsFields);
  if (fields === undefined) return;
  for (const name of ['manager', 'operation', 'apiVersion', 'fieldsType', 'subresource']) fields.string(name);
  readTime(fields, 'time');
}

function readTime(fields: Fields, name: string): void {
  const text = fields.string(name);
  if (text === undefined || isTimeText(text)) return;
  fields.report(name, {
    code: 'InvalidValue',
    message: `${name} must be a time (RFC 3339), is ${showValue(text)}`,
  });
}

/** A policy document without what a server sets, and the problems of that. */
export interface CleanDocument {
  readonly value: unknown;
  readonly problems: readonly Problem[];
}

/**
 * Takes out of a document what a server sets: a file that was exported again, and differs in nothing else, is the same
 * document.
 */
export function withoutServerSet(value: unknown, kind: PolicyDocumentKind): CleanDocument {
  const metadata = isMap(value) ? value['metadata'] : undefined;
  if (!isMap(value) || !isMap(metadata)) return { value, problems: [] };
  const written = new Set<string>(serverSetFields.filter((name) => name in metadata));
  if (written.size === 0 && !('status' in value)) return { value, problems: [] };
  const list = new ProblemList();
  const document = readDocument(value, list);
  if (document !== undefined)
    readServerSet(document, new Fields(metadata, document.place.child('metadata')), kind);
  const rest = Object.fromEntries(Object.entries(value).filter(([name]) => name !== 'status'));
  const kept = Object.entries(metadata).filter(([name]) => !written.has(name));
  return { value: { ...rest, metadata: Object.fromEntries(kept) }, problems: list.all() };
}
