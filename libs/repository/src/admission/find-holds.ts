import type { JsonObject } from '#kernel';
import type { EffectivePolicy } from '#policy';
import type { RepositoryReading } from '../documents/repository-reading.ts';
import { rootTenant } from '../files/repository-options.ts';
import type { TenantAdmission } from './admission.ts';
import { explainNothing } from './explain-nothing.ts';
import {
  countDifferences,
  describeCounts,
  describeDifference,
  type HoldEffect,
  holdEffect,
  type PolicyDifference,
} from './hold-effect.ts';
import { type DocumentInForce, identityKey, targetKey } from './in-force.ts';
import type { PolicyDigests } from './policy-digests.ts';
import { keepsWhatItOwns } from './released.ts';
import { isSameJson } from './same-json.ts';
import { type ReplicaCounts, type ScaleIn, scaleInsOf } from './scale-ins.ts';

/** Why something waits for a person. */
export type HoldCauseCode =
  | 'NotDescendant'
  | 'Unverified'
  | 'NothingTaken'
  | 'PruneToEmpty'
  | 'BlastRadius'
  | 'ScaleInByBound'
  | 'SourceChanged'
  | 'RolledBack';

/** One cause, with what a person needs to judge it. */
export interface HoldCause {
  readonly code: HoldCauseCode;
  readonly message: string;
  /** Names, or `shop/checkout maxReplicas 20 → 5 (14 present)`. */
  readonly items: readonly string[];
}

/** What is held: a tenant, or the whole source. */
export type HoldScope = { readonly kind: 'Source' } | { readonly kind: 'Tenant'; readonly tenant: string };

/** A scope and its causes. */
export interface ProposedHold {
  readonly scope: HoldScope;
  readonly causes: readonly HoldCause[];
  readonly effect: HoldEffect;
  /** The digest of the scope's resulting policies, defaults and guardrails. */
  readonly result: string;
}

/** A tenant's policies as they would be in force. */
export type ResultingTenant = Pick<TenantAdmission, 'tenant' | 'status' | 'documents'> & {
  readonly policies: readonly Pick<TenantAdmission['policies'][number], 'policy' | 'source' | 'document'>[];
};

/** What a resulting set is braked by. */
export interface HoldInput extends ReplicaCounts {
  readonly tenants: readonly ResultingTenant[];
  /** Of a commit: what was read below the source's path, to say why a first one has no policy. */
  readonly read?: { readonly reading: Pick<RepositoryReading, 'files' | 'untaken'>; readonly path: string };
  readonly inForce: readonly DocumentInForce[];
  /** Of the whole source: its ancestry, its signatures, its configuration. */
  readonly sourceCauses: readonly HoldCause[];
  readonly isFirstActivation: boolean;
  /** Policies (`shop/checkout`) that are released, by name or by the commit; absent: none. */
  readonly released?: ReadonlySet<string>;
  /** Absent: however many targets change (a rollback). */
  readonly blastRadius?: { readonly targets: number; readonly percent: number };
  readonly digests: PolicyDigests;
}

export type FoundHold = Pick<ProposedHold, 'scope' | 'causes' | 'effect'>;

/** Finds every hold of a resulting set, one target or hold per step. None: it may be activated as it is. */
export function* findHoldsInSteps(input: HoldInput): Generator<void, readonly FoundHold[], void> {
  const changes = yield* changedTargets(input);
  const causes = new Map<string, HoldCause[]>();
  const hold = (tenant: string, cause: HoldCause): void => {
    const known = causes.get(tenant);
    if (known === undefined) causes.set(tenant, [cause]);
    else known.push(cause);
  };
  blastRadius(input, changes, hold);
  yield;
  scaleIns(input, changes, hold);
  yield;
  const sourceCauses = [...input.sourceCauses, ...emptiness(input, hold)];
  const found = [
    ...(sourceCauses.length === 0 ? [] : [{ scope: { kind: 'Source' } as const, causes: sourceCauses }]),
    ...[...causes].map(([tenant, own]) => ({ scope: { kind: 'Tenant', tenant } as const, causes: own })),
  ];
  const holds: FoundHold[] = [];
  for (const { scope, causes: own } of found) {
    yield;
    holds.push({
      scope,
      causes: own,
      effect: holdEffect(changes.filter((change) => isOf(change, scope))),
    });
  }
  return holds;
}

/** What was found, with what an approval of it would be for. */
export function proposeHold(found: FoundHold, set: Pick<HoldInput, 'tenants' | 'digests'>): ProposedHold {
  return { ...found, result: resultOf(set, found.scope) };
}

/** A held root holds what only its documents change of the tenants' policies. */
function isOf({ tenant, isByRoot }: TargetChange, scope: HoldScope): boolean {
  if (scope.kind === 'Source' || scope.tenant === tenant) return true;
  return scope.tenant === rootTenant && isByRoot;
}

type Hold = (tenant: string, cause: HoldCause) => void;

interface TargetChange extends PolicyDifference {
  readonly tenant: string;
  /** Whether the document says the same, so that only the root can have changed it. */
  readonly isByRoot: boolean;
}

interface TargetState {
  readonly tenant: string;
  /** What it owns stays if it leaves. */
  readonly isKept?: boolean;
  readonly policy: EffectivePolicy;
  readonly written: JsonObject;
  readonly document: JsonObject | undefined;
}

function* changedTargets({
  tenants,
  inForce,
  digests,
  released,
}: HoldInput): Generator<void, readonly TargetChange[], void> {
  const before = new Map<string, TargetState>();
  for (const { source, policy, document } of inForce) {
    if (policy === undefined) continue;
    const isKept = keepsWhatItOwns(source) || released?.has(identityKey(source)) === true;
    before.set(targetKey(policy), { tenant: source.tenant, policy, document, written: source.value, isKept });
  }
  yield;
  const after = new Map<string, TargetState>();
  for (const { tenant, policies } of tenants) {
    yield;
    for (const { policy, source, document } of policies)
      after.set(targetKey(policy), { tenant, policy, document, written: source.value });
  }
  const changes: TargetChange[] = [];
  for (const key of new Set([...before.keys(), ...after.keys()])) {
    yield;
    const change = changeOf(before.get(key), after.get(key), digests);
    if (change !== undefined) changes.push(change);
  }
  return changes;
}

function changeOf(
  before: TargetState | undefined,
  after: TargetState | undefined,
  digests: PolicyDigests,
): TargetChange | undefined {
  if (before !== undefined && after !== undefined) {
    if (isSamePolicy(before, after) || digests.of(before.policy) === digests.of(after.policy))
      return undefined;
    const isByRoot = isSameJson(before.written, after.written);
    return { tenant: after.tenant, before: before.policy, after: after.policy, isByRoot };
  }
  if (after !== undefined) return { tenant: after.tenant, after: after.policy, isByRoot: false };
  if (before === undefined) return undefined;
  return { tenant: before.tenant, before: before.policy, isByRoot: false, keepsHpa: before.isKept === true };
}

/** A document that says the same with its defaults is the same policy, whatever made it. */
function isSamePolicy(before: TargetState, after: TargetState): boolean {
  return (
    before.policy === after.policy ||
    (before.document !== undefined && isSameJson(before.document, after.document))
  );
}

/** More than both: a count, and a share of the source's active targets. */
function blastRadius(input: HoldInput, changes: readonly TargetChange[], hold: Hold): void {
  const active = input.inForce.filter(({ policy }) => policy !== undefined).length;
  if (input.isFirstActivation || input.blastRadius === undefined) return;
  const { targets, percent } = input.blastRadius;
  if (changes.length <= targets || changes.length * 100 <= percent * active) return;
  const counts = countDifferences(changes);
  const cause = (found: readonly TargetChange[]): HoldCause => ({
    code: 'BlastRadius',
    message: `${changes.length} targets change (${describeCounts(counts)}) where ${active} are in force, more than ${targets} and ${percent} %`,
    items: found.map(describeDifference).sort(),
  });
  for (const [tenant, found] of Map.groupBy(changes, (change) => change.tenant)) hold(tenant, cause(found));
  const byRoot = changes.filter(({ isByRoot, tenant }) => isByRoot && tenant !== rootTenant);
  if (byRoot.length > 0) hold(rootTenant, cause(byRoot));
}

/**
 * A bound below half of what runs now, or of what ran before it was lowered in steps, or new or lowered while that is
 * unknown.
 */
function scaleIns(input: HoldInput, changes: readonly TargetChange[], hold: Hold): void {
  const found = changes.flatMap((change) => {
    const scaleIns = scaleInsOf(change, input);
    return scaleIns.length === 0 ? [] : [{ tenant: change.tenant, scaleIns, isByRoot: change.isByRoot }];
  });
  for (const [tenant, same] of Map.groupBy(found, (each) => each.tenant))
    hold(tenant, scaleInCause(same.flatMap((each) => each.scaleIns)));
  const byRoot = found.filter(({ tenant, isByRoot }) => isByRoot && tenant !== rootTenant);
  if (byRoot.length > 0) hold(rootTenant, scaleInCause(byRoot.flatMap((each) => each.scaleIns)));
}

/** Says of the first what it is, and how many more there are: the items have all of them. */
function scaleInCause(found: readonly ScaleIn[]): HoldCause {
  const [first, ...others] = found.toSorted((one, other) => (one.item < other.item ? -1 : 1));
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
  return {
    code: 'ScaleInByBound',
    message: `${first?.why ?? ''}${more}`,
    items: found.map(({ item }) => item).toSorted(),
  };
}

/**
 * A source, or a tenant of more than one policy, that would become empty; and a first activation of nothing. A first
 * commit that has errors, and no policy that could come in force beside them, is rejected, and activates nothing.
 */
function emptiness(input: HoldInput, hold: Hold): readonly HoldCause[] {
  const { tenants, inForce, isFirstActivation } = input;
  const staying = new Set(
    tenants.flatMap(({ policies }) => policies.map(({ source }) => identityKey(source))),
  );
  const before = inForce.filter(({ policy }) => policy !== undefined);
  if (staying.size > 0) {
    for (const { tenant, had } of emptied(tenants, before, staying))
      hold(tenant, pruneToEmpty(tenant === rootTenant ? 'the root' : `tenant ${tenant}`, had));
    return [];
  }
  if (before.length > 0) return [pruneToEmpty('the source', before)];
  const isWhole = tenants.every(({ status }) => status !== 'Rejected');
  return isFirstActivation && isWhole && tenants.some(({ status }) => status === 'Advances')
    ? [nothingTaken(input)]
    : [];
}

/** A tenant whose policies all go to another one is not pruned. */
function emptied(
  tenants: readonly ResultingTenant[],
  before: readonly DocumentInForce[],
  staying: ReadonlySet<string>,
): readonly { readonly tenant: string; readonly had: readonly DocumentInForce[] }[] {
  const active = Map.groupBy(before, ({ source }) => source.tenant);
  return tenants.flatMap(({ tenant, policies }) => {
    const had = policies.length > 0 ? [] : (active.get(tenant) ?? []);
    const isPruned = had.length > 1 && had.some(({ source }) => !staying.has(identityKey(source)));
    return isPruned ? [{ tenant, had }] : [];
  });
}

function pruneToEmpty(what: string, had: readonly DocumentInForce[]): HoldCause {
  return {
    code: 'PruneToEmpty',
    message: `${what} would have no policy any more`,
    items: had.map(({ source }) => identityKey(source)).sort(),
  };
}

function nothingTaken({ read }: HoldInput): HoldCause {
  const { message, items } =
    read === undefined ? { message: '', items: [] } : explainNothing(read.reading, read.path);
  const why = message === '' ? '' : `: ${message}`;
  return { code: 'NothingTaken', message: `no policy would be in force${why}`, items };
}

/** The digest of what a scope comes to; the root's documents act on all tenants' policies. */
export function resultOf(
  { tenants, digests }: Pick<HoldInput, 'tenants' | 'digests'>,
  scope: HoldScope,
): string {
  const isAll = scope.kind === 'Source' || scope.tenant === rootTenant;
  const found = tenants.filter((each) => isAll || each.tenant === scope.tenant);
  return digests.ofSet(
    found.flatMap(({ policies }) => policies.map(({ policy }) => policy)),
    found.flatMap(({ documents }) => documents),
  );
}
