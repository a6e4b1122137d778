import type { Settings } from '#decision';
import type { RecordedStrategy, StrategyChangePayload } from '#ledger';
import type { ControllerMode } from '../plan/plan-write.ts';
import type { VersionInForce } from './policy-strategy.ts';
import { type PolicyStrategy, requestedSelectionOf, strategyOf } from './policy-strategy.ts';

/** A change of how a policy is carried out, as its entry and its events name it. */
export interface StrategyChange extends Pick<StrategyChangePayload, 'before' | 'after' | 'commit'> {
  readonly field: keyof PolicyStrategy;
}

/** What a pass knows of how its policy is carried out. */
export interface StrategyInput {
  readonly recorded: RecordedStrategy;
  readonly version: VersionInForce;
  /** What passes ask for now, the gate applied (`memory.selectionStrategy`); null: none has selected pods yet. */
  readonly requested: string | null;
  readonly settings: Settings;
  /** Uid of the target that the pass saw; null: it could not be read. */
  readonly targetUid: string | null;
  /** Whether writes are made; where they are not, a policy that is disabled restores nothing, now or later. */
  readonly mode: ControllerMode;
}

/** What changed, and what is recorded with it. */
export interface StrategyOutput {
  readonly changes: readonly StrategyChange[];
  readonly recorded: RecordedStrategy;
}

/** Nothing of the policy is recorded yet. */
export const nothingRecorded: RecordedStrategy = {
  selectionStrategy: null,
  writtenSelectionStrategy: null,
  actuation: null,
  algorithm: null,
  enabled: null,
  restoreReplicas: null,
  targetUid: null,
  hpa: null,
};

/**
 * Compares how a policy is carried out with what its stream says last. The first selection is a change, since it becomes
 * active; of the rest a new policy's PolicyChange says it all. A selection that is written as before came with the
 * settings, so no commit is named. Pure.
 */
export function strategyChangesOf(input: StrategyInput): StrategyOutput {
  const { recorded, version, requested, settings } = input;
  const { policy } = version.active;
  const strategy = strategyOf(policy);
  const others = (['actuation', 'algorithm', 'enabled'] as const).flatMap(
    (field): readonly StrategyChange[] => {
      const before = recorded[field];
      const after = strategy[field];
      if (before === null || before === after) return [];
      return [{ field, before, after, commit: version.strategyCommits[field] }];
    },
  );
  // A disabled or blocked pass selects nothing, so what it would have asked for is recorded when one does.
  const isSelected = requested === requestedSelectionOf(policy, settings);
  return {
    changes: [...selectionChanges(input, strategy), ...others],
    recorded: {
      ...strategy,
      selectionStrategy: requested ?? recorded.selectionStrategy,
      writtenSelectionStrategy: isSelected ? strategy.selectionStrategy : recorded.writtenSelectionStrategy,
      restoreReplicas: restoreReplicasOf(input),
      targetUid: input.targetUid ?? recorded.targetUid ?? null,
      hpa: recorded.hpa ?? null,
    },
  };
}

/**
 * What a policy that is disabled restores, decided once, by the change itself: a policy that comes in disabled restores
 * nothing, and another `replicas` later changes nothing. It belongs to the object that the policy was carried out on: on
 * another target, or on one that was made anew, nothing is restored.
 */
function restoreReplicasOf({ recorded, version, targetUid, mode }: StrategyInput): number | null {
  const { enabled, dryRun, replicas } = version.active.policy;
  if (enabled || dryRun || mode === 'Observe') return null;
  if (isOtherTarget(recorded.targetUid ?? null, targetUid)) return null;
  return recorded.enabled === 'true' ? (replicas ?? null) : (recorded.restoreReplicas ?? null);
}

function isOtherTarget(recorded: string | null, seen: string | null): boolean {
  return recorded !== null && seen !== null && recorded !== seen;
}

/** The same once nothing is to be restored any more. */
export function withoutRestore(recorded: RecordedStrategy): RecordedStrategy {
  return { ...recorded, restoreReplicas: null };
}

function selectionChanges(
  { recorded, version, requested }: StrategyInput,
  { selectionStrategy }: PolicyStrategy,
): readonly StrategyChange[] {
  const before = recorded.selectionStrategy;
  if (requested === null || requested === before) return [];
  const isWritten = before === null || recorded.writtenSelectionStrategy !== selectionStrategy;
  const commit = isWritten ? version.strategyCommits.selectionStrategy : null;
  return [{ field: 'selectionStrategy', before, after: requested, commit }];
}
