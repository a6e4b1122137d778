import { messageOf, namespacedName, type Semaphore } from '#kernel';
import type { EntryOf, LedgerEntry, NamedPage, PolicyState } from '#ledger';
import { maximumPageLimit, policyStream } from '#ledger';
import { Deadline } from '../pass/deadline.ts';
import type { ReconcileOptions, ReconcilePorts } from '../pass/pass.ts';
import type { PolicyRuntimes } from '../pass/policy-runtimes.ts';
import { resolveOrphan, resolvePendingWrite } from '../write/resolve-pending-write.ts';
import { forgetPolicy } from './seal-runs.ts';

/** What a restart needs. */
export interface RestoreParts {
  readonly ports: ReconcilePorts;
  readonly options: ReconcileOptions;
  readonly semaphore: Semaphore;
}

type PendingIntent = EntryOf<'ScalingIntent'>;

/**
 * Restores every policy's memory and open run, and gives every intent without outcome its one outcome. One that cannot
 * be settled now (the API server does not answer) stays in doubt: its policy's passes try again before anything else.
 *
 * @returns the states of policies that are not in force, by `namespace/name`: some may come into force later, when
 *   their source has been read.
 */
export async function restorePolicies(
  parts: RestoreParts,
  runtimes: PolicyRuntimes,
): Promise<Map<string, PolicyState>> {
  const { ledger } = parts.ports;
  const states = new Map<string, PolicyState>();
  await forEachPage(
    (page) => ledger.policyStates(page),
    streamOfState,
    (state) => {
      states.set(namespacedName(state.policy), state);
      runtimes.get(namespacedName(state.policy))?.restore(state);
    },
  );
  const intents: PendingIntent[] = [];
  await forEachPage(
    (page) => ledger.pendingIntents(page),
    ({ stream }) => stream,
    (entry: LedgerEntry) => {
      if (entry.kind === 'ScalingIntent') intents.push(entry);
    },
  );
  await Promise.all(intents.map((intent) => resolveIntentAtStart(parts, runtimes, { intent, states })));
  for (const { key } of runtimes.all()) states.delete(key);
  for (const [key, state] of states) {
    if (!(await hasLeft(parts, state))) continue;
    states.delete(key);
    await forgetPolicy(parts.ports, state);
  }
  return states;
}

/** Whether the record says that the policy left, while nobody was there to forget it. Few are not in force. */
async function hasLeft({ ports }: RestoreParts, { policy }: PolicyState): Promise<boolean> {
  const stream = policyStream(policy);
  const change = await ports.ledger.newestEntry({ stream, kind: 'PolicyChange' });
  return change !== null && change.payload.after === null;
}

async function resolveIntentAtStart(
  parts: RestoreParts,
  runtimes: PolicyRuntimes,
  found: { readonly intent: PendingIntent; readonly states: Map<string, PolicyState> },
): Promise<void> {
  const { intent, states } = found;
  const key = namespacedName(intent.payload.policy);
  const state = states.get(key) ?? null;
  const runtime = runtimes.get(key);
  if (runtime !== undefined) runtime.doubt = { intent, memoryIfWritten: state?.memoryIfWritten ?? null };
  const deadline = new Deadline(parts.ports.clock, parts.options.passTimeoutMilliseconds);
  const settling = { ...parts, deadline };
  try {
    if (runtime !== undefined) {
      await resolvePendingWrite({ ...settling, runtime });
    } else {
      const settled = await resolveOrphan(settling, { intent, state });
      if (settled !== null) states.set(key, settled);
    }
  } catch (error) {
    const text = `${key}  could not find out what became of a write yet: ${messageOf(error)}`;
    parts.ports.log.write({ level: 'warn', text, fields: { policy: key } });
  } finally {
    deadline.clear();
  }
}

/** Reads a list that is ordered by name, page by page. */
async function forEachPage<T>(
  load: (page: NamedPage) => Promise<readonly T[]>,
  nameOf: (item: T) => string,
  visit: (item: T) => void,
): Promise<void> {
  let after: string | undefined;
  for (;;) {
    const items = await load({ limit: maximumPageLimit, ...(after === undefined ? {} : { after }) });
    for (const item of items) visit(item);
    const last = items.at(-1);
    if (last === undefined || items.length < maximumPageLimit) return;
    after = nameOf(last);
  }
}

function streamOfState({ policy }: PolicyState): string {
  return policyStream(policy);
}
