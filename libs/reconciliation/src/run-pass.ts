import { AdapterError } from '#kernel';
import { recordConditions } from './conditions/record-conditions.ts';
import { reportConditions } from './conditions/report-conditions.ts';
import type { PassOutcome } from './outcome/pass-outcome.ts';
import type { ReadyCondition } from './outcome/ready-condition.ts';
import { DeadlineExceeded } from './pass/deadline.ts';
import type { Pass } from './pass/pass.ts';
import type { EventSubject } from './ports/kubernetes-events.port.ts';
import { untraced } from './ports/traces.port.ts';
import { type PassResult, reconcilePolicy } from './reconcile-policy.ts';
import { subjectOf } from './reporting/event-subject.ts';
import { presentOutcome } from './reporting/present-outcome.ts';
import { reportContest } from './reporting/report-contest.ts';
import { reportMetrics } from './reporting/report-metrics.ts';
import { reportSelection } from './reporting/report-selection.ts';

/** Runs a pass to an outcome, whatever happens in it, and reports it: no failure of one policy reaches another. */
export async function runPass(pass: Omit<Pass, 'span'>): Promise<PassOutcome> {
  const { ports, runtime, isEarly } = pass;
  const { namespace, name } = runtime.active.policy;
  const traces = ports.traces ?? untraced;
  const attributes = { 'plimsoll.policy.namespace': namespace, 'plimsoll.policy.name': name };
  return traces.trace('pass', { ...attributes, 'plimsoll.pass.early': isEarly }, async (span) => {
    const outcome = await runTraced({ ...pass, span });
    span.setAttributes({ 'plimsoll.outcome': outcome.kind, 'plimsoll.reason': outcome.reason });
    return outcome;
  });
}

async function runTraced(pass: Pass): Promise<PassOutcome> {
  const { ports, runtime } = pass;
  const start = ports.clock.monotonicMilliseconds();
  const result = await resultOf(pass);
  if (result === null) return abandoned;
  const { outcome, decided, scale } = result;
  const time = ports.clock.now();
  const subject = subjectOf(pass, scale);
  const { kept, previous } = runtime.replaceOutcome(outcome);
  const ready = present(pass, { ...result, outcome: kept }, { subject, time, previous });
  ports.reports.publish({
    key: runtime.key,
    active: runtime.active,
    time,
    durationMilliseconds: ports.clock.monotonicMilliseconds() - start,
    outcome: kept,
    ready,
    conditions: runtime.conditions.list(),
    decision: decided?.output.decision ?? null,
    computationMilliseconds: decided?.computationMilliseconds ?? null,
    lastScaleTime: runtime.kept.memory.lastScaleTime ?? null,
    decisionId: decided === null ? null : decisionIdOf(pass, kept),
    scale,
  });
  await recordConditions(pass, { reason: outcome.reason, subject });
  return outcome;
}

/** Of the entry that holds the decision of a pass. Where the ledger takes nothing, the last one is of an earlier decision. */
function decisionIdOf({ runtime }: Pass, { reason }: PassOutcome): string | null {
  return reason === 'LedgerUnavailable' ? null : (runtime.kept.lastDecision?.entry ?? null);
}

/** Nothing is told of it: nothing has failed. */
const abandoned: PassOutcome = {
  kind: 'Waiting',
  reason: 'ShardNotHeld',
  message: 'the pass had changed nothing yet, and was dropped: another process decides the policy',
};

/** What a report of a pass says beside what it came to. */
interface Presented {
  readonly subject: EventSubject;
  /** RFC 3339. */
  readonly time: string;
  /** What the pass before came to; null: there was none. */
  readonly previous: PassOutcome | null;
}

/** Reports a pass in the log, in Events, in its series and in the policy's conditions. */
function present(
  pass: Pass,
  { outcome, decided, scale }: PassResult,
  { subject, time, previous }: Presented,
): ReadyCondition {
  const { ports, runtime } = pass;
  const context = { selector: scale?.selector ?? null, family: runtime.active.policy.family };
  const presented = presentOutcome(outcome, { key: runtime.key, subject, time, previous, ...context });
  if (presented.log !== null) ports.log.write(presented.log);
  if (presented.event !== null) ports.kubernetesEvents.emit(presented.event);
  if (decided !== null) {
    const { decision } = decided.output;
    ports.series?.record(decided.input, decision);
    reportMetrics(pass, { decision, subject, told: presented.event?.reason ?? null });
    reportSelection(pass, decision, subject);
  }
  reportContest(pass, time);
  reportConditions(pass, { outcome, decided, scale, time });
  runtime.conditions.set(presented.condition, time);
  return presented.condition;
}

/** @returns null: it was dropped before it had changed anything */
async function resultOf(pass: Pass): Promise<PassResult | null> {
  try {
    return await reconcilePolicy(pass);
  } catch (error) {
    if (pass.deadline.isAbandoned) return null;
    return { outcome: outcomeOfError(error), decided: null, scale: null };
  }
}

function outcomeOfError(error: unknown): PassOutcome {
  if (error instanceof DeadlineExceeded)
    return { kind: 'Failed', reason: 'PassTimedOut', message: `the pass was ended: ${error.message}` };

  if (error instanceof AdapterError)
    return { kind: 'Failed', reason: 'AdapterFailed', message: `${error.code}: ${error.message}` };

  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { kind: 'Bug', reason: 'Bug', message };
}
