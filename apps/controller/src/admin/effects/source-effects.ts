import type { Hold, LookRehearsal, RollbackRehearsal } from '#git-sync';
import { type JsonObject, shortHash } from '#kernel';
import type { StandingIntervention } from '#ledger';
import type { Role } from '../../auth/callers/principal.ts';
import type { SourceView } from '../../git-sync/source-operations.ts';
import { type ActionEffect, maximumDescribedPolicies, type PolicyEffect } from '../requests/action-effect.ts';
import type { OperatorActionName } from '../requests/operator-action-name.ts';
import { effectOf } from './policy-effects.ts';

/** What an action does to the policies of a source. */
export interface SourceEffect {
  /** In a sentence. */
  readonly summary: string;
  /** Policies that come, change or leave: `shop/checkout changed: maxReplicas 20 → 5`. */
  readonly changes: readonly string[];
  /** How many they are, also where `changes` does not name them all. */
  readonly total: number;
  /** What it does to those that are known, each. */
  readonly effects: readonly PolicyEffect[];
  /** What operators did before that acts on them. */
  readonly standing: readonly StandingIntervention[];
}

/** What is known of an action's policies beside its summary. */
export type KnownEffects = Pick<SourceEffect, 'effects' | 'standing'>;

const nothingKnown: KnownEffects = { effects: [], standing: [] };

/**
 * The effect of an action on a source, as its caller sees it. Its digest is of what the commit changes: counts move all the
 * time, and a person agrees to the documents.
 */
export function sourceActionEffect(
  { name, role }: { readonly name: OperatorActionName; readonly role: Role },
  { summary, changes, total, effects, standing }: SourceEffect,
  request: JsonObject,
): ActionEffect {
  const requires = { role, confirm: false, force: false };
  const nothing = { problems: [], standing, effects: [], until: null };
  const effect = effectOf({ action: name, summary, requires, ...nothing, changes, changed: total }, request);
  return { ...effect, policies: effects.slice(0, maximumDescribedPolicies) };
}

export function syncEffect({ name, ref }: SourceView): SourceEffect {
  return plain(`a look at ${ref} of ${name} now; what it brings is judged as any commit`);
}

/** `known` is of the hold's policies; `holds` are the holds of the source that the caller may see. */
export function approvalEffect(
  { name, holds }: Pick<SourceView, 'name' | 'holds'>,
  hold: Hold,
  known: KnownEffects,
): SourceEffect {
  const others = holds.filter((other) => holdsToo(other, hold)).length;
  const rest = others === 1 ? 'another hold of it stands' : `${others} other holds of it stand`;
  const comes = `${shortHash(hold.commit)} of ${name} comes in force`;
  const summary =
    others === 0 ? `${comes} as it is held` : `${comes} only as far as nothing else holds it: ${rest}`;
  return { summary, ...changesOf(hold.effect), ...known };
}

/** Whether what a hold changes may stay out of force by another one: holds of two tenants do not concern each other. */
function holdsToo(other: Hold, { digest, commit, scope }: Hold): boolean {
  if (other.digest === digest || other.commit !== commit) return false;
  if (other.scope.kind === 'Source' || scope.kind === 'Source') return true;
  return other.scope.tenant === scope.tenant;
}

export function rejectionEffect(source: string, { commit }: Hold): SourceEffect {
  return plain(`${shortHash(commit)} of ${source} stays out of force; what is in force stays`);
}

export function releaseEffect(policy: string): SourceEffect {
  const summary = `${policy} leaves; its HPA and its count stay as they are, and nothing of Plimsoll's changes them`;
  return { summary, changes: [`${policy} gone`], total: 1, ...nothingKnown };
}

/** `known` is of the rehearsal's policies. */
export function rollbackEffect(
  { source, commit }: { readonly source: string; readonly commit: string },
  rehearsal: RollbackRehearsal,
  known: KnownEffects,
): SourceEffect {
  const { outcome, message, effect } = rehearsal;
  const isWhole = outcome === 'active';
  const summary = isWhole
    ? `${source} goes back to ${shortHash(commit)}, and stays there until it is resumed`
    : `${source} would come to be ${outcome}: ${message}`;
  return { summary, ...changesOf(effect), ...known };
}

export function resumeEffect({ name, ref }: SourceView, policy: string | undefined): SourceEffect {
  if (policy === undefined)
    return plain(`${name} follows ${ref} again; what it has there is judged as any commit`);
  return {
    summary: `${policy} comes back with the next look at ${name}`,
    changes: [`${policy} new`],
    total: 1,
    ...nothingKnown,
  };
}

/** What is said of an action before the look that it brings, with what the look would come to; `known` is of that. */
export function rehearsedEffect(
  { summary }: Pick<SourceEffect, 'summary'>,
  { outcome, message, commit, effect }: LookRehearsal,
  known: KnownEffects,
): SourceEffect {
  const { added, changed, removed } = effect;
  const what = commit === null ? 'it' : `${shortHash(commit.hash)} ${commit.subject}`;
  const isNothing = outcome === 'active' && added + changed + removed === 0;
  const come = isNothing ? `${what} changes no policy` : `${what} would come to be ${outcome}: ${message}`;
  return { summary: `${summary}: ${come}`, ...changesOf(effect), ...known };
}

function plain(summary: string): SourceEffect {
  return { summary, changes: [], total: 0, ...nothingKnown };
}

/** A hold of an earlier release does not say what it changes. */
function changesOf(effect: Hold['effect']): Pick<SourceEffect, 'changes' | 'total'> {
  if (effect === undefined) return { changes: [], total: 0 };
  const { added, changed, removed, policies } = effect;
  return { changes: policies, total: added + changed + removed };
}
