/** The name of a policy: what its stream, its state and its entries are found by. */
export interface PolicyKey {
  readonly namespace: string;
  readonly name: string;
}

/** The stream of everything that sources and revisions went through. */
export const syncStream = 'sync';

/** The stream of operators, settings and checkpoints. */
export const adminStream = 'admin';

/** The longest stream name: `policy:`, a namespace of 63 and a name of 253 characters, and the slash between. */
const maximumStreamNameLength = 324;

/** Databases differ in what they make of control characters and halves of surrogate pairs, which no name has. */
const policyStreamForm = /^(?:policy|late):([^/#\s\p{Cc}\p{Cs}]+)\/([^/#\s\p{Cc}\p{Cs}]+)$/u;

/** The stream of one policy: `policy:<namespace>/<name>`. */
export function policyStream({ namespace, name }: PolicyKey): string {
  return `policy:${namespace}/${name}`;
}

/**
 * The stream of what a process decided about a policy in an outage of the database, where another process had taken over
 * before it could be recorded: `late:<namespace>/<name>`.
 */
export function lateStream({ namespace, name }: PolicyKey): string {
  return `late:${namespace}/${name}`;
}

/**
 * A name right before a policy's stream, so that one item is read of a list that is ordered by stream: the first one after
 * it is the policy's, or there is none. A name of a policy has small letters, digits, `-` and `.`, which come before `~`.
 */
export function nameBefore(stream: string): string {
  const last = stream.length - 1;
  return `${stream.slice(0, last)}${String.fromCharCode(stream.charCodeAt(last) - 1)}~`;
}

/** Whether a stream is one of those. Its entries change nothing: no intent is opened or closed there. */
export function isLateStream(stream: string): boolean {
  return stream.startsWith('late:');
}

/** The policy that a stream belongs to; `null` for `sync`, `admin` and anything that is no stream name. */
export function policyOfStream(stream: string): PolicyKey | null {
  const [, namespace, name] = policyStreamForm.exec(stream) ?? [];
  return namespace === undefined || name === undefined ? null : { namespace, name };
}

/** Whether a text is the name of a stream that may exist. */
export function isStreamName(stream: string): boolean {
  if (stream.length > maximumStreamNameLength) return false;
  return stream === syncStream || stream === adminStream || policyOfStream(stream) !== null;
}
