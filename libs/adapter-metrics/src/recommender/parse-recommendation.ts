import type { ObservedRecommendation } from '#decision';
import {
  AdapterError,
  cutText,
  isJsonObject,
  type JsonObject,
  parseInstant,
  redactCredentials,
  toUtcText,
} from '#kernel';
import { maximumQuantityLength } from '../api/read-json.ts';

const replyFields: ReadonlySet<string> = new Set([
  'targetReplicas',
  'lowerBoundReplicas',
  'upperBoundReplicas',
  'observedTargets',
  'reason',
  'timestamp',
  'error',
]);
const targetFields: ReadonlySet<string> = new Set(['type', 'targetValue', 'lowerBound', 'upperBound']);
const errorFields: ReadonlySet<string> = new Set(['code', 'message']);
const maximumReasonLength = 500;
/** How much of an answer that is none the message shows. */
const shownCharacters = 100;

/**
 * Reads an answer, which is protobuf JSON: numbers may be text, `null` is absent, and an unknown field is an error.
 * `targetReplicas` that is left out stays out, and makes the recommendation invalid: protobuf's zero would shrink a
 * workload on an answer that says nothing.
 *
 * @throws AdapterError `Malformed`, or `Recommender` where the answer is an error
 */
export function parseRecommendation(body: string): ObservedRecommendation {
  const reply = fieldsOf(parseJson(body), 'the answer', replyFields);
  requireNoError(reply['error']);
  const replicas = int32(reply, 'targetReplicas');
  const lowerBound = int32(reply, 'lowerBoundReplicas');
  const upperBound = int32(reply, 'upperBoundReplicas');
  const observed = observedOf(reply['observedTargets']);
  const said = string(reply, 'reason');
  const reason = said === undefined ? undefined : cutText(said, maximumReasonLength);
  const timestamp = timestampOf(reply);
  return {
    ...(replicas === undefined ? {} : { replicas }),
    ...(lowerBound === undefined ? {} : { lowerBound }),
    ...(upperBound === undefined ? {} : { upperBound }),
    ...(observed === undefined ? {} : { observed }),
    ...(reason === undefined ? {} : { reason }),
    ...(timestamp === undefined ? {} : { timestamp }),
  };
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    const start = body.slice(0, shownCharacters).replace(/\s+/g, ' ').trim();
    throw malformed(`the answer is no JSON; it begins with ${JSON.stringify(redactCredentials(start))}`);
  }
}

function fieldsOf(value: unknown, what: string, known: ReadonlySet<string>): JsonObject {
  if (!isJsonObject(value)) throw malformed(`${what} is no JSON object`);
  const unknown = Object.keys(value).find((name) => !known.has(name));
  if (unknown === undefined) return value;
  throw malformed(`${what} has the unknown field ${JSON.stringify(unknown.slice(0, shownCharacters))}`);
}

function requireNoError(value: unknown): void {
  if (value === undefined || value === null) return;
  const error = fieldsOf(value, 'error', errorFields);
  const code = int32(error, 'code') ?? 0;
  const message = redactCredentials(cutText(string(error, 'message') ?? '', maximumReasonLength));
  throw new AdapterError({
    code: 'Recommender',
    message: `the recommender answers with error ${code}: ${message}`,
    retryable: true,
  });
}

/** The first observed value, as a decimal. */
function observedOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value)) throw malformed('observedTargets is no list');
  const [first] = (value as readonly unknown[]).map((target) =>
    number(fieldsOf(target, 'an observed target', targetFields), 'targetValue'),
  );
  return first === undefined ? undefined : String(first);
}

function int32(fields: JsonObject, name: string): number | undefined {
  const value = number(fields, name);
  if (value === undefined) return undefined;
  if (Number.isInteger(value) && value >= -(2 ** 31) && value < 2 ** 31) return value;
  throw malformed(`${name} is ${value}, which is no whole number of 32 bits`);
}

function number(fields: JsonObject, name: string): number | undefined {
  const value = fields[name];
  if (value === undefined || value === null) return undefined;
  const isText = typeof value === 'string' && value.length <= maximumQuantityLength && value.trim() === value;
  const parsed = isText && value !== '' ? Number(value) : value;
  if (typeof parsed === 'number' && Number.isFinite(parsed)) return parsed;
  throw malformed(`${name} is no number`);
}

function string(fields: JsonObject, name: string): string | undefined {
  const value = fields[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return value;
  throw malformed(`${name} is no text`);
}

function timestampOf(reply: JsonObject): string | undefined {
  const text = string(reply, 'timestamp');
  if (text === undefined) return undefined;
  const instant = text.length > maximumQuantityLength ? undefined : parseInstant(text);
  if (instant === undefined) throw malformed('timestamp is no RFC 3339 time');
  return toUtcText(instant, text);
}

function malformed(message: string): AdapterError {
  return new AdapterError({ code: 'Malformed', message, retryable: true });
}
