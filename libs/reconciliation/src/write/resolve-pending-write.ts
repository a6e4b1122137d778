import { namespacedName } from '#kernel';
import {
  type EntryOf,
  type IntentOutcome,
  type ObservedScale,
  type PolicyState,
  policyStream,
  resolveIntent,
} from '#ledger';
import { accountOf } from '../observe/replica-account.ts';
import type { PassOutcome } from '../outcome/pass-outcome.ts';
import { callKubernetes } from '../pass/call-kubernetes.ts';
import type { Pass } from '../pass/pass.ts';
import type { ScaleReading } from '../ports/scale.port.ts';
import { append, type Appended } from '../record/append.ts';

type Settling = Pick<Pass, 'ports' | 'semaphore' | 'deadline'>;
type SettlingPass = Settling & Pick<Pass, 'runtime'>;

/**
 * Finds out what became of a write that nobody recorded the outcome of (a crash, a lost answer), and records it: one
 * intent, one outcome. While that cannot be found out nothing else is done, since everything else builds on it.
 *
 * @returns null when there is no doubt any more, else why the pass ends here.
 */
export async function resolvePendingWrite(pass: SettlingPass): Promise<PassOutcome | null> {
  const { runtime, ports } = pass;
  if (runtime.doubt === null) return null;
  const intent = runtime.doubt.intent ?? (await loadNewestIntent(pass));
  if (intent === null) {
    runtime.doubt = null;
    return null;
  }
  const reading = await readLive(pass, intent);
  if (isFailed(reading)) return inDoubt(reading.error.message);
  const time = ports.clock.now();
  const outcome = resolveIntent(intent, observedOf(reading), time);
  const memory =
    outcome.code === 'Applied' ? (runtime.doubt.memoryIfWritten ?? runtime.memory) : runtime.memory;
  const appended = await append(pass, {
    drafts: [outcome.draft],
    states: [runtime.stateWith({ memory, memoryIfWritten: null, updatedAt: time })],
  });
  if (!isSettled(appended)) return appended.outcome;
  // Where the outcome was there already, the memory there is was chosen with it.
  if (appended.kind === 'Stored') runtime.memory = memory;
  runtime.doubt = null;
  runtime.account = 'state' in reading ? accountOf(reading.state) : null;
  tell(pass, intent, outcome);
  return null;
}

/** An intent whose policy is not in force, and the state that its policy left, if any. */
export interface Orphan {
  readonly intent: EntryOf<'ScalingIntent'>;
  readonly state: PolicyState | null;
}

/**
 * Settles an intent whose policy is not in force (any more, or not yet: its source may come later).
 *
 * @returns the state that the policy would begin with.
 */
export async function resolveOrphan(
  settling: Settling,
  { intent, state }: Orphan,
): Promise<PolicyState | null> {
  const reading = await readLive(settling, intent);
  if (isFailed(reading)) return state;
  const time = settling.ports.clock.now();
  const outcome = resolveIntent(intent, observedOf(reading), time);
  const settled = state === null ? null : settledState(state, outcome, time);
  const appended = await append(settling, {
    drafts: [outcome.draft],
    ...(settled === null ? {} : { states: [settled] }),
  });
  if (!isSettled(appended)) return state;
  tell(settling, intent, outcome);
  return appended.kind === 'Stored' ? settled : state;
}

function settledState(state: PolicyState, { code }: IntentOutcome, updatedAt: string): PolicyState {
  const memory = code === 'Applied' ? (state.memoryIfWritten ?? state.memory) : state.memory;
  return { ...state, memory, memoryIfWritten: null, updatedAt };
}

async function loadNewestIntent({
  ports,
  runtime,
  deadline,
}: SettlingPass): Promise<EntryOf<'ScalingIntent'> | null> {
  const stream = policyStream(runtime.active.policy);
  return deadline.race(ports.ledger.newestEntry({ stream, kind: 'ScalingIntent' }));
}

/** The intent's own target: a new version of the policy may name another. */
function readLive(settling: Settling, { payload }: EntryOf<'ScalingIntent'>): Promise<ScaleReading> {
  const { apiVersion, kind, name } = payload.target;
  const target = { namespace: payload.policy.namespace, apiVersion, kind, name };
  return callKubernetes(settling, (signal) =>
    settling.ports.scale.readScale({ target, freshness: 'Live' }, signal),
  );
}

/** A failed read is no answer; that there is no such object is one. */
function isFailed(reading: ScaleReading): reading is Extract<ScaleReading, { readonly error: unknown }> {
  return 'error' in reading && reading.cause === 'Failed';
}

function observedOf(reading: ScaleReading): ObservedScale {
  if ('error' in reading) return { found: false };
  const { specReplicas, uid, resourceVersion, writer } = reading.state;
  return { found: true, specReplicas, uid, resourceVersion, manager: writer?.manager ?? null };
}

function isSettled(appended: Appended): appended is Exclude<Appended, { readonly kind: 'Unanswered' }> {
  return appended.kind === 'Stored' || (appended.kind === 'Refused' && appended.code === 'IntentNotPending');
}

function tell({ ports }: Settling, { payload }: EntryOf<'ScalingIntent'>, { code }: IntentOutcome): void {
  const { policy, from, to } = payload;
  const key = namespacedName(policy);
  const text = `${key} ${from} → ${to}  found out what became of a write without answer: ${code}`;
  ports.log.write({ level: 'info', text, fields: { policy: key, from, to, result: code } });
}

function inDoubt(message: string): PassOutcome {
  return {
    kind: 'Waiting',
    reason: 'WriteInDoubt',
    message: `a write was sent and not answered; finding out what became of it: ${message}`,
  };
}
