import { canonicalJson, type Json, namespacedName } from '#kernel';
import { comparePolicies, type FieldChange } from '#policy';
import { departuresInFreezes, isRendered } from '#reconciliation';
import { identityKey, keepsWhatItOwns, type ResolvedPolicy, type UntakenDocument } from '#repository';
import type { ResolvedTree } from '../repository/resolve-tree.ts';

/** What became of one policy. */
export interface PolicyDifference {
  /** `shop/checkout`. */
  readonly policy: string;
  /** `Moved`: another file, the same values. `Invalid`: one side cannot be read, so there is nothing to compare. */
  readonly change: 'Added' | 'Removed' | 'Changed' | 'Moved' | 'Invalid';
  /** Where it stands now; where it stood, if it left. From the repository's top. */
  readonly file: string;
  readonly line: number;
  /** Where it stood, if in another file. */
  readonly from?: string;
  /** What it scales: `Deployment/checkout`. */
  readonly target?: string;
  readonly minReplicas?: number;
  readonly maxReplicas?: number;
  /** Of `Changed`: the values that differ. */
  readonly fields: readonly FieldChange[];
  /** Of a policy that is rendered into an HPA: how that will act otherwise than its decisions, while it is frozen. */
  readonly departures?: readonly string[];
  /** Of `Changed`: whether its own document is the same, and defaults changed it. */
  readonly isByDefaults?: boolean;
  /** Of `Removed`: why there is none at the head, as far as its file says. */
  readonly because?: string;
  /** Of `Removed`: what becomes of its HPA; absent: it is rendered into none. */
  readonly hpa?: 'Deleted' | 'Kept';
  /** Of `Invalid`: on which side. */
  readonly side?: 'base' | 'head';
}

/** Compares the policies of two trees by their effective values, in the order of their names. */
export function diffTrees(base: ResolvedTree, head: ResolvedTree): readonly PolicyDifference[] {
  const names = new Set([base, head].flatMap((tree) => [...tree.policies.keys(), ...tree.invalid.keys()]));
  return [...names].sort().flatMap((policy) => differenceOf(policy, base, head) ?? []);
}

function differenceOf(policy: string, base: ResolvedTree, head: ResolvedTree): PolicyDifference | undefined {
  for (const [side, tree] of [['head', head] as const, ['base', base] as const]) {
    const broken = tree.invalid.get(policy);
    if (broken !== undefined) return notCompared(policy, broken, side);
  }
  const before = base.policies.get(policy);
  const after = head.policies.get(policy);
  if (before !== undefined && after !== undefined) return comparison(policy, before, after);
  if (before !== undefined) {
    const unread = unreadOf(before, head);
    return unread === undefined
      ? { ...alone('Removed', before), ...removal(before, head) }
      : notCompared(policy, unread, 'head');
  }
  if (after === undefined) return undefined;
  const unread = unreadOf(after, base);
  return unread === undefined
    ? { ...alone('Added', after), ...departing(after) }
    : notCompared(policy, unread, 'base');
}

function alone(change: 'Added' | 'Removed', one: ResolvedPolicy): PolicyDifference {
  return { policy: identityKey(one.source), change, ...summaryOf(one), fields: [] };
}

function removal(before: ResolvedPolicy, head: ResolvedTree): Pick<PolicyDifference, 'because' | 'hpa'> {
  const { policy, source } = before;
  const { because, isCertain } = removalCause(before, head);
  return {
    because,
    ...(isCertain && isRendered(policy) && !policy.dryRun
      ? { hpa: keepsWhatItOwns(source) ? 'Kept' : 'Deleted' }
      : {}),
  };
}

interface RemovalCause {
  readonly because: string;
  /** Otherwise a controller keeps it in force, with an error. */
  readonly isCertain: boolean;
}

/** A document that is not taken says most; then what became of its file. */
function removalCause({ source, policy }: ResolvedPolicy, head: ResolvedTree): RemovalCause {
  const untaken = head.untaken.find(
    ({ file, name, namespace }) =>
      name === policy.name && (file === source.file || [namespace, ''].includes(policy.namespace)),
  );
  if (untaken !== undefined) {
    const { kind, name, reason, file, position, namespace } = untaken;
    const now = namespacedName({ namespace: untaken.unmanagedNamespace ?? namespace, name });
    const because = `${kind} ${now} in ${file}:${position.line} is not taken (${reason})`;
    return { because, isCertain: reason === 'NotListed' };
  }
  const status = head.files.get(source.file);
  if (status === undefined) return { because: 'its file is gone', isCertain: true };
  if (status === 'Other') return { because: 'its file has no policy any more', isCertain: true };
  return status === 'Read'
    ? { because: 'its file has no such document any more', isCertain: true }
    : { because: `its file is not read (${status})`, isCertain: false };
}

function notCompared(
  policy: string,
  { file, position }: Pick<UntakenDocument, 'file' | 'position'>,
  side: 'base' | 'head',
): PolicyDifference {
  return { policy, change: 'Invalid', file, line: position.line, fields: [], side };
}

/** What cannot be read on the side where a policy is missing, and may be that policy: of its name, or in its file. */
function unreadOf({ source, policy }: ResolvedPolicy, tree: ResolvedTree): UntakenDocument | undefined {
  return tree.unreadable.find(({ file, name, namespace }) =>
    name === '' ? file === source.file : name === policy.name && ['', policy.namespace].includes(namespace),
  );
}

function comparison(
  policy: string,
  before: ResolvedPolicy,
  after: ResolvedPolicy,
): PolicyDifference | undefined {
  const fields = comparePolicies(before.policy, after.policy);
  const from = before.source.file;
  const moved = from === after.source.file ? {} : { from };
  if (fields.length > 0) {
    const isByDefaults = isSame(before.source.value, after.source.value);
    return {
      policy,
      change: 'Changed',
      ...summaryOf(after),
      ...moved,
      fields,
      isByDefaults,
      ...departing(after),
    };
  }
  return 'from' in moved ? { policy, change: 'Moved', ...summaryOf(after), ...moved, fields } : undefined;
}

function departing({ policy }: ResolvedPolicy): Pick<PolicyDifference, 'departures'> {
  const departures = departuresInFreezes(policy);
  return departures.length === 0 ? {} : { departures };
}

function isSame(one: Json | undefined, other: Json | undefined): boolean {
  return canonicalJson(one ?? null) === canonicalJson(other ?? null);
}

function summaryOf({
  source,
  policy,
}: ResolvedPolicy): Pick<PolicyDifference, 'file' | 'line' | 'target' | 'minReplicas' | 'maxReplicas'> {
  const { target, minReplicas, maxReplicas } = policy;
  const { file, position } = source;
  return { file, line: position.line, target: `${target.kind}/${target.name}`, minReplicas, maxReplicas };
}
