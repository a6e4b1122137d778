import { AdapterError } from '#kernel';
import { subjectOf } from './outcome/event-subject.ts';
import type { PassOutcome } from './outcome/pass-outcome.ts';
import { presentOutcome } from './outcome/present-outcome.ts';
import { reportConditions } from './outcome/report-conditions.ts';
import { reportContest } from './outcome/report-contest.ts';
import { reportSelection } from './outcome/report-selection.ts';
import { DeadlineExceeded } from './pass/deadline.ts';
import type { Pass } from './pass/pass.ts';
import { type PassResult, reconcilePolicy } from './reconcile-policy.ts';
import { recordConditions } from './record/record-conditions.ts';

/** Runs a pass to an outcome, whatever happens in it, and reports it: no failure of one policy reaches another. */
export async function runPass(pass: Pass): Promise<PassOutcome> {
  const { ports, runtime } = pass;
  const start = ports.clock.monotonicMilliseconds();
  const result = await resultOf(pass);
  const { outcome, decided, scale } = result;
  const time = ports.clock.now();
  const subject = subjectOf(pass, scale);
  const previous = runtime.replaceOutcome(outcome);
  const presented = presentOutcome(outcome, { key: runtime.key, subject, time, previous });
  if (presented.log !== null) ports.log.write(presented.log);
  if (presented.event !== null) ports.kubernetesEvents.emit(presented.event);
  if (decided !== null) reportSelection(pass, decided.output.decision, subject);
  reportContest(pass, time);
  reportConditions(pass, { outcome, decided, scale, time });
  runtime.conditions.set(presented.condition, time);
  ports.reports.publish({
    key: runtime.key,
    active: runtime.active,
    time,
    durationMilliseconds: ports.clock.monotonicMilliseconds() - start,
    outcome,
    ready: presented.condition,
    conditions: runtime.conditions.list(),
    decision: decided?.output.decision ?? null,
    decisionId: decided === null ? null : (runtime.lastDecision?.entry ?? null),
    scale,
  });
  await recordConditions(pass, outcome.reason);
  return outcome;
}

async function resultOf(pass: Pass): Promise<PassResult> {
  try {
    return await reconcilePolicy(pass);
  } catch (error) {
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
