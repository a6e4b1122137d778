import type { JsonObject } from '#kernel';
import type { EntryKind } from './entry-kind.ts';
import { type PolicyKey, policyOfStream } from './stream-name.ts';

/** What of an entry names what it is about. */
interface NamedEntry {
  readonly stream: string;
  readonly kind: EntryKind;
  readonly payload: object;
}

/** The namespace of an entry's policy, or that an operator's action concerns; null: it concerns more than one. */
export function namespaceOfEntry(entry: NamedEntry): string | null {
  return policyOfStream(entry.stream)?.namespace ?? namespaceOfAction(entry);
}

/** The policy that an entry is about, or that an operator's action names; null: it is about no single policy. */
export function policyOfEntry(entry: NamedEntry): PolicyKey | null {
  return policyOfStream(entry.stream) ?? policyOfAction(entry);
}

/** The namespace that an operator's action concerns, and not its stream's; null: that of any other entry. */
export function namespaceOfAction({ kind, payload }: Omit<NamedEntry, 'stream'>): string | null {
  if (kind !== 'OperatorAction') return null;
  const { policy, namespace } = argumentsOf(payload);
  if (typeof policy === 'string') return validName(policy.slice(0, Math.max(0, policy.indexOf('/'))));
  return typeof namespace === 'string' ? validName(namespace) : null;
}

/** The policy that an operator's action names, and not its stream's; null: that of any other entry. */
export function policyOfAction({ kind, payload }: Omit<NamedEntry, 'stream'>): PolicyKey | null {
  if (kind !== 'OperatorAction') return null;
  const { policy } = argumentsOf(payload);
  const [, namespace, name] = policyForm.exec(typeof policy === 'string' ? policy : '') ?? [];
  return namespace === undefined || name === undefined ? null : { namespace, name };
}

function argumentsOf(payload: object): JsonObject {
  const given: unknown = Reflect.get(payload, 'arguments');
  return typeof given === 'object' && given !== null ? (given as JsonObject) : {};
}

/** What was refused may name anything. */
function validName(text: string): string | null {
  return /^[a-z0-9][a-z0-9-]{0,62}$/.test(text) ? text : null;
}

const policyForm = /^([a-z0-9][a-z0-9-]{0,62})\/([a-z0-9][a-z0-9.-]{0,252})$/;
