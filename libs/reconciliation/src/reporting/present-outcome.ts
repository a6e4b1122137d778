import type { EffectivePolicy } from '#policy';
import type { PassOutcome } from '../outcome/pass-outcome.ts';
import { type ReadyCondition, readyConditionOf } from '../outcome/ready-condition.ts';
import { isEndReason } from '../outcome/version-end.ts';
import type { EventSubject, KubernetesEvent } from '../ports/kubernetes-events.port.ts';
import type { LogLine } from '../ports/log.port.ts';

/** The policy of an outcome, and what was reported of it last. */
export interface OutcomeContext {
  readonly key: string;
  readonly subject: EventSubject;
  /** RFC 3339. */
  readonly time: string;
  /** The selector of the target's scale; null: it could not be read. */
  readonly selector: string | null;
  readonly family: EffectivePolicy['family'];
  /** The outcome of the pass before; null: there was none. */
  readonly previous: PassOutcome | null;
}

/** How an outcome is reported. `log` and `event` are null where there is nothing new. */
export interface OutcomePresentation {
  readonly condition: ReadyCondition;
  readonly log: LogLine | null;
  readonly event: KubernetesEvent | null;
}

/**
 * The one place where outcomes become a condition, a log line and an event. A scaling is reported every time; everything else
 * when it changes, so that a policy that waits for an hour is reported once. A user's mistake is logged at info; `error` is
 * kept for our bugs.
 */
export function presentOutcome(outcome: PassOutcome, context: OutcomeContext): OutcomePresentation {
  const condition = readyConditionOf(outcome);
  if (!isNews(outcome, context.previous)) return { condition, log: null, event: restOf(outcome, context) };
  return { condition, log: logOf(outcome, context), event: eventOf(outcome, context) };
}

function isNews(outcome: PassOutcome, previous: PassOutcome | null): boolean {
  if (outcome.reason === 'Scaled') return true;
  if (previous !== null && outcome.reason === previous.reason)
    return isChange(outcome) && outcome.message !== previous.message;

  // After a scaling the rest is silence; after trouble, "works again" is news.
  return (
    outcome.kind !== 'Done' ||
    (previous !== null && previous.kind !== 'Done') ||
    outcome.reason !== 'Unchanged'
  );
}

/** Whether it reports another count than before, made or (in a dry run) not. */
function isChange({ kind, reason }: PassOutcome): boolean {
  return kind === 'Done' && reason !== 'Unchanged';
}

function logOf(outcome: PassOutcome, { key }: OutcomeContext): LogLine {
  const text = outcome.message.startsWith(`${key} `) ? outcome.message : `${key}  ${outcome.message}`;
  return {
    level: levelOf(outcome),
    text,
    fields: { policy: key, outcome: outcome.kind, reason: outcome.reason },
  };
}

function levelOf({ kind }: PassOutcome): LogLine['level'] {
  if (kind === 'Bug') return 'error';
  return kind === 'Failed' ? 'warn' : 'info';
}

/** The Watermark Pod Autoscaler's event of a pass that does not scale; told once after a scaling, since nothing is written while nothing changes. */
function restOf(outcome: PassOutcome, context: OutcomeContext): KubernetesEvent | null {
  const { subject, time, previous, family } = context;
  if (family !== 'watermark' || previous?.reason !== 'Scaled' || outcome.reason !== 'Unchanged') return null;
  return { subject, type: 'Normal', reason: 'NotScaling', message: outcome.message, time };
}

function eventOf(outcome: PassOutcome, context: OutcomeContext): KubernetesEvent | null {
  // The scaling's own event is emitted with upstream's text where the write is made; "works again" is no event.
  if (outcome.kind === 'Done' || outcome.kind === 'Bug') return null;
  // Nothing is written to a namespace that is not managed; that a policy changed, or its shard is given up, is no trouble
  // of its target.
  if (outcome.reason === 'NamespaceNotManaged' || isEndReason(outcome.reason)) return null;
  const { subject, time } = context;
  return {
    subject,
    type: 'Warning',
    reason: eventReasonOf(outcome, context),
    message: outcome.message,
    time,
  };
}

/** Upstream has two Events for the one reason `InvalidSelector`. */
function eventReasonOf({ reason }: PassOutcome, { selector }: OutcomeContext): string {
  return reason === 'InvalidSelector' && selector === '' ? 'SelectorRequired' : reason;
}
