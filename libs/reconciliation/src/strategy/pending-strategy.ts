import type { DecideOutput } from '#decision';
import { AdapterError } from '#kernel';
import { type EntryOf, policyStream } from '#ledger';
import { strategySubjectOf } from '../outcome/event-subject.ts';
import type { Pass } from '../pass/pass.ts';
import type { PendingStrategy } from '../pass/policy-runtime.ts';
import type { ScaleState } from '../ports/scale.port.ts';
import { reportStrategy } from './report-strategy.ts';
import { strategyChangesOf, type StrategyOutput } from './strategy-changes.ts';

/**
 * Finds out whether strategy changes whose storing nobody confirmed (a lost answer) are in the ledger, so that none is
 * recorded twice or told without its entry. While the ledger cannot be read they stay in doubt; nothing waits for it.
 *
 * @throws DeadlineExceeded
 */
export async function resolvePendingStrategy(pass: Pass): Promise<void> {
  const { runtime, ports } = pass;
  const { pendingStrategy } = runtime;
  if (pendingStrategy === null) return;
  const newest = await loadNewest(pass);
  if (newest === 'Unknown') return;
  runtime.pendingStrategy = null;
  if (!isSame(newest, pendingStrategy)) return;
  const { recorded, changes, subject } = pendingStrategy;
  runtime.recordedStrategy = recorded;
  reportStrategy({ ports, key: runtime.key, subject }, changes);
}

async function loadNewest({
  ports,
  runtime,
  deadline,
}: Pass): Promise<EntryOf<'StrategyChange'> | null | 'Unknown'> {
  const stream = policyStream(runtime.active.policy);
  try {
    return await deadline.race(ports.ledger.newestEntry({ stream, kind: 'StrategyChange' }));
  } catch (error) {
    if (error instanceof AdapterError) return 'Unknown';
    throw error;
  }
}

/** The entries of one pass are stored together, under the time of its decision, which no other pass has. */
function isSame(newest: EntryOf<'StrategyChange'> | null, { time }: PendingStrategy): boolean {
  return newest?.time === time;
}

/**
 * What a pass has to record of how its policy is carried out. While earlier changes are in doubt that is nothing: the
 * next would be told from the wrong state.
 */
export function strategyAfter({ runtime, options }: Pass, { memory }: DecideOutput): StrategyOutput {
  const { recordedStrategy: recorded, version, pendingStrategy } = runtime;
  if (pendingStrategy !== null) return { changes: [], recorded };
  const requested = memory.selectionStrategy ?? null;
  return strategyChangesOf({ recorded, version, requested, settings: options.settings });
}

/** Puts changes in doubt before they may be stored, until that is known; null: there are none. */
export function announceStrategy(
  pass: Pass,
  strategy: StrategyOutput,
  seen: { readonly scale: ScaleState | null; readonly time: string },
): PendingStrategy | null {
  if (strategy.changes.length === 0) return null;
  const subject = strategySubjectOf(pass, seen.scale);
  const announced = { ...strategy, subject, time: seen.time };
  pass.runtime.pendingStrategy = announced;
  return announced;
}
