import type { JsonObject } from '#kernel';
import type { EntryKind } from './entry-kind.ts';
import { type InterventionScope, scopeName } from './standing-intervention.ts';
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

/**
 * What an operator's action concerns, by the name of its scope ({@link scopeName}): what it names that is the smallest. Null
 * of any other entry, and of a sync that is asked for, which decides nothing: what it brings has entries of its own.
 */
export function scopeOfAction(entry: Omit<NamedEntry, 'stream'>): string | null {
  if (entry.kind !== 'OperatorAction' || Reflect.get(entry.payload, 'action') === 'SyncSource') return null;
  const policy = policyOfAction(entry);
  if (policy !== null) return scopeName({ kind: 'Policy', ...policy });
  const { policy: named, namespace, source, metricSource, scope } = argumentsOf(entry.payload);
  if (typeof named === 'string') return null;
  if (typeof namespace === 'string') return scopeOfForm({ kind: 'Namespace', namespace });
  if (typeof metricSource === 'string') return scopeOfForm({ kind: 'MetricSource', metricSource });
  if (typeof source === 'string') return scopeOfForm({ kind: 'Source', source });
  return scope === 'Cluster' ? scopeName({ kind: 'Cluster' }) : null;
}

/** What was refused may name anything; a recommender's host is the longest that is named. */
function scopeOfForm(scope: InterventionScope): string | null {
  const name = scopeName(scope);
  return /^[\x21-\x7e]+ [\x21-\x7e]{1,300}$/.test(name) ? name : null;
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
