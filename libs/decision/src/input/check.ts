import { cutText, type JsonObject, parseInstant } from '#kernel';

/** A problem with a value, and where below the value it is. */
export interface Fault {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** Checks a value that is neither null nor absent; null: it is valid. `schema` is the same check as JSON Schema. */
export interface Check {
  (value: unknown): Fault | null;
  readonly schema: JsonObject;
}

/** Whether a field may be absent, which null is too. */
export interface Field {
  readonly name: string;
  readonly check: Check;
  readonly isRequired: boolean;
}

/** A check with the JSON Schema of what it accepts. */
export function checkOf(schema: JsonObject, look: (value: unknown) => Fault | null): Check {
  return Object.assign((value: unknown) => look(value), { schema });
}

export function required(name: string, check: Check): Field {
  return { name, check, isRequired: true };
}

export function optional(name: string, check: Check): Field {
  return { name, check, isRequired: false };
}

export const text: Check = checkOf({ type: 'string' }, (value) =>
  typeof value === 'string' ? null : fault(value, 'a text'),
);

export const flag: Check = checkOf({ type: 'boolean' }, (value) =>
  typeof value === 'boolean' ? null : fault(value, 'true or false'),
);

/** RFC 3339. */
export const time: Check = checkOf({ type: 'string', format: 'date-time' }, (value) =>
  typeof value === 'string' && parseInstant(value) !== undefined ? null : fault(value, 'an RFC 3339 time'),
);

/** Text or number; whether it parses is the metric's business. */
export const quantity: Check = checkOf({ type: ['string', 'number'] }, (value) =>
  typeof value === 'string' || typeof value === 'number' ? null : fault(value, 'a quantity'),
);

export const integer: Check = checkOf({ type: 'integer' }, (value) =>
  Number.isSafeInteger(value) ? null : fault(value, 'a whole number'),
);

/** Whole, at least so much. */
export function atLeast(lowest: number): Check {
  return checkOf({ type: 'integer', minimum: lowest }, (value) =>
    typeof value === 'number' && Number.isSafeInteger(value) && value >= lowest
      ? null
      : fault(value, `a whole number of at least ${lowest}`),
  );
}

/** Whole, at least 0. */
export const count: Check = atLeast(0);

/** Finite, at least 0. */
export const nonNegative: Check = checkOf({ type: 'number', minimum: 0 }, (value) =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0
    ? null
    : fault(value, 'a number of at least 0'),
);

export function oneOf(...allowed: readonly string[]): Check {
  return checkOf({ enum: allowed }, (value) =>
    typeof value === 'string' && allowed.includes(value)
      ? null
      : fault(value, `one of ${allowed.join(', ')}`),
  );
}

/** An object; keys that are not named are ignored. */
export function object(...fields: readonly Field[]): Check {
  return checkOf(objectSchema(fields), (value) => {
    if (!isRecord(value)) return fault(value, 'an object');
    for (const { name, check, isRequired } of fields) {
      const item = value[name];
      if (item === undefined || item === null) {
        if (isRequired) return { path: [name], message: `${name} is required` };
        continue;
      }
      const found = check(item);
      if (found !== null) return below(name, found);
    }
    return null;
  });
}

function objectSchema(fields: readonly Field[]): JsonObject {
  const names = fields.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  return {
    type: 'object',
    ...(names.length === 0 ? {} : { required: names }),
    properties: Object.fromEntries(
      fields.map(({ name, check, isRequired }) => [name, isRequired ? check.schema : orNull(check.schema)]),
    ),
  };
}

/** Null and absent are the same. */
export function orNull(schema: JsonObject): JsonObject {
  return { anyOf: [schema, { type: 'null' }] };
}

/** A list whose items are not null. */
export function list(check: Check): Check {
  return checkOf({ type: 'array', items: check.schema }, (value) => {
    if (!Array.isArray(value)) return fault(value, 'a list');
    const items: readonly unknown[] = value;
    for (let index = 0; index < items.length; index += 1) {
      const found = check(items[index]);
      if (found !== null) return below(index, found);
    }
    return null;
  });
}

/** A map whose values are all alike; null values are absent ones. */
export function mapOf(check: Check): Check {
  return checkOf({ type: 'object', additionalProperties: orNull(check.schema) }, (value) => {
    if (!isRecord(value)) return fault(value, 'an object');
    for (const name of Object.keys(value)) {
      const item = value[name];
      if (item === undefined || item === null) continue;
      const found = check(item);
      if (found !== null) return below(name, found);
    }
    return null;
  });
}

/** A check and what JSON Schema cannot say. */
export function also(check: Check, look: (value: unknown) => Fault | null): Check {
  return checkOf(check.schema, (value) => check(value) ?? look(value));
}

/** Looks for a text under `key` that two items of a list share. */
export function uniqueBy(key: string): (value: unknown) => Fault | null {
  return (value) => {
    if (!Array.isArray(value)) return null;
    const items: readonly unknown[] = value;
    const seen = new Set<unknown>();
    for (let index = 0; index < items.length; index += 1) {
      const item = items[index];
      const name = isRecord(item) ? item[key] : undefined;
      seen.add(name);
      if (seen.size <= index)
        return { path: [index, key], message: `${shown(name)} is there twice; a name is unique in its list` };
    }
    return null;
  };
}

export function fault(value: unknown, wanted: string): Fault {
  return { path: [], message: `${shown(value)} is not ${wanted}` };
}

export function below(key: string | number, found: Fault): Fault {
  return { path: [key, ...found.path], message: found.message };
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A path as JSON Pointer. @see RFC 6901 */
export function toPointer(path: readonly (string | number)[]): string {
  return path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** Characters of a wrong value that an error repeats. */
const maxShown = 60;

function shown(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (isRecord(value)) return 'an object';
  if (typeof value === 'string')
    return JSON.stringify(value.length > maxShown ? `${cutText(value, maxShown)}…` : value);
  return String(value);
}
