import { knownContractVersions } from '#decision';
import { isJsonObject, type Json, type JsonObject } from '#kernel';
import { expiredEntries } from './expired-entries.ts';

/** A decision as it was recorded: with its input, and the engine that made it. */
export interface DecisionRecord {
  readonly input: JsonObject;
  readonly decision: JsonObject;
  /** Undefined where only the decision was recorded. */
  readonly memory: JsonObject | undefined;
  /** Undefined where the record names none. */
  readonly engineVersion: string | undefined;
  /** What the record calls itself: stream and number of a ledger entry. */
  readonly name: string | undefined;
}

export type RecordReading =
  | { readonly kind: 'record'; readonly record: DecisionRecord }
  /** A ledger entry that is no decision. */
  | { readonly kind: 'other' }
  /** A ledger entry whose payload, or observation, is left out. */
  | { readonly kind: 'leftOut' }
  /** What an export has in the place of entries that retention has deleted. */
  | { readonly kind: 'expired'; readonly entries: number }
  | { readonly kind: 'problem'; readonly message: string };

/**
 * Reads a recorded decision from a value: a ledger entry of kind `Decision` as an export has it, its payload alone,
 * `{"input", "output": {"decision", "memory"}}`, or the answer of `GET /decisions/ID`.
 */
export function readRecord(value: unknown): RecordReading {
  if (!isJsonObject(value)) return { kind: 'problem', message: 'the line is not a JSON object' };
  const { kind, payload } = value;
  if (typeof kind === 'string' && isJsonObject(payload))
    return kind === 'Decision' ? fromPayload(payload, entryName(value)) : { kind: 'other' };
  if (typeof kind === 'string' && isLeftOut(value)) return { kind: 'leftOut' };
  const expired = expiredEntries(value);
  if (expired !== null) return { kind: 'expired', entries: expired };
  return fromPayload(value, nameOfAnswer(value));
}

function isLeftOut(entry: JsonObject): boolean {
  return typeof entry['payloadHash'] === 'string' || isJsonObject(entry['payloadWithoutObservation']);
}

function fromPayload(payload: JsonObject, name: string | undefined): RecordReading {
  const { input, output, engineVersion, contractVersion } = payload;
  if (typeof contractVersion === 'string' && !knownContractVersions.includes(contractVersion)) {
    return {
      kind: 'problem',
      message: `contract version ${JSON.stringify(contractVersion)} is not known; this program knows ${knownContractVersions.join(' and ')}`,
    };
  }
  const { decision = answeredDecision(payload), memory } = isJsonObject(output) ? output : payload;
  if (!isJsonObject(input) || !isJsonObject(decision))
    return { kind: 'problem', message: `the line has no recorded input and decision; ${places}` };
  return {
    kind: 'record',
    record: {
      input,
      decision,
      memory: isJsonObject(memory) ? memory : undefined,
      engineVersion: typeof engineVersion === 'string' ? engineVersion : undefined,
      name,
    },
  };
}

const places = '"plimsoll audit export" writes them, and /api/v1/decisions/ID of the REST API has one';

/** What the REST API has beside the fields of a decision itself. */
const besideDecision: ReadonlySet<string> = new Set(['id', 'input', 'commit', 'departures', 'engineVersion']);

/** The decision in an answer of the REST API; undefined: this is no such answer. */
function answeredDecision(answer: JsonObject): Json | undefined {
  if (nameOfAnswer(answer) === undefined || !Array.isArray(answer['steps'])) return undefined;
  return Object.fromEntries(Object.entries(answer).filter(([key]) => !besideDecision.has(key)));
}

function nameOfAnswer({ id }: JsonObject): string | undefined {
  return typeof id === 'string' ? id : undefined;
}

function entryName({ stream, seq }: JsonObject): string | undefined {
  if (typeof stream !== 'string') return undefined;
  return typeof seq === 'string' || typeof seq === 'number' ? `${stream}#${seq}` : stream;
}
