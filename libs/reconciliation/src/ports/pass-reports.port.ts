import type { Decision } from '#decision';
import type { PassOutcome } from '../outcome/pass-outcome.ts';
import type { PolicyCondition } from '../outcome/policy-conditions.ts';
import type { ReadyCondition } from '../outcome/ready-condition.ts';
import type { ActivePolicy } from '../policies/active-policy.ts';
import type { ScaleState } from './scale.port.ts';

/** What a pass came to: the live status of its policy until the next one. */
export interface PassReport {
  readonly key: string;
  readonly active: ActivePolicy;
  /** When the pass ended, RFC 3339. */
  readonly time: string;
  readonly durationMilliseconds: number;
  readonly outcome: PassOutcome;
  readonly ready: ReadyCondition;
  /** After the pass: `Ready` and the others of Plimsoll, then upstream's. */
  readonly conditions: readonly PolicyCondition[];
  /** Null: the pass did not come to decide. */
  readonly decision: Decision | null;
  /** Id of the `Decision` entry that holds this decision, or the one that it repeats; null where it could not be recorded. */
  readonly decisionId: string | null;
  /** How long the observation and the decision took; null: the pass did not come to decide. */
  readonly computationMilliseconds: number | null;
  /** When the policy's target was scaled last, RFC 3339; null: never, as far as is remembered. */
  readonly lastScaleTime: string | null;
  /** The scale after the pass; null: it could not be read. */
  readonly scale: ScaleState | null;
}

/** Where reports go: subscriptions, metrics, the status cache. */
export interface PassReportsPort {
  /** Returns at once, never throws. */
  publish(report: PassReport): void;
}
