import type { AuditEntry } from '#contracts';
import { counted, isJsonObject, shortHash } from '#kernel';
import { changedValues } from './changed-values.ts';
import { pullRequestText } from './pull-request-text.ts';

type Entry = Pick<AuditEntry, 'policy' | 'payload'>;
type Payload = AuditEntry['payload'];

/** The policy that an entry is about, `shop/checkout`: its own, or the one that an operator acted on. */
export function policyOfEntry({ policy, payload }: Entry): string | null {
  if (policy !== null) return `${policy.namespace}/${policy.name}`;
  return textOf(partOf(payload, 'arguments')['policy']);
}

/** What an entry of the ledger says, in a line: what was done to what, what it came to, and why. */
export function describeEntry({ payload, end }: Pick<AuditEntry, 'payload' | 'end'>): string | null {
  const decision = partOf(payload, 'decision');
  const { result, outcome, departure } = payload;
  const parts = [
    checkpointOf(payload),
    keyOf(payload),
    gapOf(payload),
    retentionOf(payload),
    changeOf({ ...payload, ...decision }),
    joined(doneOf(payload) ?? textOf(decision['action'] ?? result ?? departure), argumentsOf(payload)),
    textOf(outcome),
    textOf(decision['reason'] ?? payload['reason'] ?? payload['message']) ??
      operatorOf(payload) ??
      commitOf(payload),
    reviewOf(payload),
    givenReasonOf(payload),
    againstOf(payload),
    endOf(payload, end),
  ];
  return parts.filter((part) => part !== null).join(': ') || null;
}

/** A checkpoint says what it covers in its signed note, whose lines are one for a terminal. */
function checkpointOf({ number, note }: Payload): string | null {
  const entries = textOf(note)?.match(/\sentries (\d+)\s/)?.[1];
  return entries === undefined ? null : `checkpoint ${wordOf(number)} covers ${entries} entries`;
}

/** Of another key, the checkpoint from which on it signs; a rotation has a note, a key that was lost has none. */
function keyOf({ number, note, key }: Payload): string | null {
  if (textOf(key) !== null)
    return `the key is lost, and another one signs from checkpoint ${wordOf(number)} on`;
  if (!/\skey-rotation /.test(textOf(note) ?? '')) return null;
  return `another key signs from checkpoint ${wordOf(number)} on`;
}

/** Of a restore, what was published and is not in the backup. */
function gapOf({ number, restored, backup }: Payload): string | null {
  if (textOf(restored) === null) return null;
  return `the backup of ${wordOf(backup)} ends with checkpoint ${wordOf(restored)}; those up to ${wordOf(number)} are lost`;
}

/** What retention deleted; it is announced before it is done. */
function retentionOf(payload: Payload): string | null {
  const { rules, segments, deleted } = payload;
  if (!Array.isArray(rules)) return null;
  const { entries, payloads, observations } = partOf(payload, 'deleted');
  if (isJsonObject(deleted))
    return `deleted: ${counted(wordOf(entries), 'entry', 'entries')}, ${counted(wordOf(payloads), 'payload')}, ${counted(wordOf(observations), 'observation')}`;
  const streams = Array.isArray(segments) ? segments.length : 0;
  const what = streams === 0 ? 'payloads and observations' : `entries of ${counted(streams, 'stream')}`;
  return `to be deleted: ${what} that have expired`;
}

/** Of a count, a way of carrying a policy out, or a document. */
function changeOf(payload: Payload): string | null {
  const { from, to = null, desiredReplicas = null, field, before, after, departure } = payload;
  if (to !== null) return arrow(from, to);
  if (desiredReplicas !== null) return countsOf(payload, desiredReplicas);
  // A new policy has nothing before it.
  if (typeof field === 'string') return `${field} ${before === null ? wordOf(after) : arrow(before, after)}`;
  return before === undefined || typeof departure === 'string' ? null : documentChange(before, after);
}

/** Of a policy, or of the settings. */
function documentChange(before: unknown, after: unknown): string {
  if (!isJsonObject(before)) return 'new';
  return (isJsonObject(after) ? changedValues(before, after) : '') || 'changed';
}

/** A run of equal decisions has no count before it. */
function countsOf({ currentReplicas }: Payload, desiredReplicas: unknown): string {
  if (currentReplicas === undefined) return `${wordOf(desiredReplicas)} replicas`;
  return arrow(currentReplicas, desiredReplicas);
}

/** A count or a word; what is none of them is not known. */
function arrow(from: unknown, to: unknown): string {
  return `${wordOf(from)} → ${wordOf(to)}`;
}

function wordOf(value: unknown): string {
  return typeof value === 'number' ? String(value) : (textOf(value) ?? '?');
}

/** What was done: the ledger has one name for the return of a source to what Git says, and of one of its policies. */
function doneOf(payload: Payload): string | null {
  const action = textOf(payload['action']);
  const policy = textOf(partOf(payload, 'arguments')['policy']);
  return action === 'ResumeSource' && policy !== null ? `resume policy ${policy}` : action;
}

/** What an operator gave, but for the policy, which has a place of its own. */
function argumentsOf(payload: Payload): string | null {
  const given = Object.entries(partOf(payload, 'arguments'))
    .filter(([name, value]) => name !== 'policy' && ['string', 'number'].includes(typeof value))
    .map(([name, value]) => `${name === 'expires' ? expiryWord(payload) : name} ${wordOf(value)}`);
  return given.length === 0 ? null : `(${given.join(', ')})`;
}

/** What has ended expires no more. */
function expiryWord({ action, actor, outcome }: Payload): string {
  if (outcome === 'Refused' || !ends.has(textOf(action) ?? '')) return 'expires';
  // The controller ends what has expired.
  return actor === 'plimsoll' ? 'expired' : 'would have expired';
}

const ends: ReadonlySet<string> = new Set(['EndSuspension', 'EndOverride', 'EndDryRun']);

/** Of what was refused; why it was has been said. */
function givenReasonOf({ givenReason }: Payload): string | null {
  const words = textOf(givenReason);
  return words === null ? null : `asked for with the reason ${JSON.stringify(words)}`;
}

/** Of what was forced. */
function againstOf(payload: Payload): string | null {
  const { against } = partOf(payload, 'effect');
  const said = Array.isArray(against) ? against.map(textOf).filter((each) => each !== null) : [];
  return said.length === 0 ? null : `against ${said.join('; ')}`;
}

/** Of an intervention that an operator ended before it expired: it did not last as long as it was asked for. */
function endOf(payload: Payload, end: AuditEntry['end']): string | null {
  const expires = textOf(partOf(payload, 'arguments')['expires']);
  // A controller of an earlier release has none.
  const { time, actor } = end ?? {};
  if (expires === null || time === undefined || Date.parse(time) >= Date.parse(expires)) return null;
  return `ended at ${time} by ${actor}`;
}

/** Who changed what is in force in place of a commit. */
function operatorOf(payload: Payload): string | null {
  const { action, by, reason } = partOf(payload, 'operator');
  const who = textOf(by);
  return who === null ? null : `${wordOf(action)} by ${who}: ${textOf(reason) ?? ''}`;
}

function commitOf(payload: Payload): string | null {
  const { hash, subject } = partOf(payload, 'commit');
  const known = textOf(hash);
  return joined(known === null ? null : shortHash(known), textOf(subject));
}

/** Who allowed a commit, as its pull request has it. */
function reviewOf(payload: Payload): string | null {
  const { number, author, approvers, verified } = partOf(payload, 'pullRequest');
  if (typeof verified !== 'boolean') return null;
  const said = pullRequestText({
    number: typeof number === 'number' ? number : null,
    author: textOf(author),
    approvers: Array.isArray(approvers) ? approvers.map(wordOf) : [],
    verified,
  });
  return `pull request ${said}`;
}

function joined(one: string | null, other: string | null): string | null {
  return [one, other].filter((part) => part !== null).join(' ') || null;
}

function partOf(payload: Payload, name: string): Payload {
  const { [name]: part } = payload;
  return part !== undefined && isJsonObject(part) ? part : {};
}

/** Null: it is none, or empty. */
export function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
