import { AdapterError } from '#kernel';
import { type EntryOf, policyStream } from '#ledger';
import type { Pass } from '../pass/pass.ts';
import type { UnansweredStrategy } from '../pass/policy-runtime.ts';
import { tellStrategy } from './tell-strategy.ts';

/**
 * Finds out whether strategy changes whose storing nobody confirmed (a lost answer) are in the ledger, so that none is
 * recorded twice or told without its entry. While the ledger cannot be read they stay in doubt; nothing waits for it.
 *
 * @throws DeadlineExceeded
 */
export async function settleStrategy(pass: Pass): Promise<void> {
  const { runtime, ports } = pass;
  const { unansweredStrategy } = runtime;
  if (unansweredStrategy === null) return;
  const newest = await loadNewest(pass);
  if (newest === 'Unknown') return;
  runtime.unansweredStrategy = null;
  if (!isSame(newest, unansweredStrategy)) return;
  const { recorded, changes, subject } = unansweredStrategy;
  runtime.recordedStrategy = recorded;
  tellStrategy({ ports, key: runtime.key, subject }, changes);
}

async function loadNewest({
  ports,
  runtime,
  deadline,
}: Pass): Promise<EntryOf<'StrategyChange'> | null | 'Unknown'> {
  const stream = policyStream(runtime.active.policy);
  const query = { kinds: ['StrategyChange'], stream, order: 'NewestFirst', limit: 1 } as const;
  try {
    const { items } = await deadline.race(ports.ledger.entries(query));
    const entry = items[0]?.entry;
    return entry?.kind === 'StrategyChange' ? entry : null;
  } catch (error) {
    if (error instanceof AdapterError) return 'Unknown';
    throw error;
  }
}

/** The entries of one pass are stored together, under the time of its decision, which no other pass has. */
function isSame(newest: EntryOf<'StrategyChange'> | null, { time }: UnansweredStrategy): boolean {
  return newest?.time === time;
}
