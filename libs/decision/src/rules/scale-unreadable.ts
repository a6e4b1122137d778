import { note, type UnreadEvaluation } from '../evaluation/evaluation.ts';
import { describeFailure } from '../metrics/source-failure.ts';
import type { ObservationFailure } from '../model/observation.ts';

/** The scale could not be read, so nothing can be decided. */
export function scaleUnreadable(evaluation: UnreadEvaluation, { error }: ObservationFailure): void {
  const why = describeFailure(error, 'FailedGetScale');
  const message = `the HPA controller was unable to get the target's current scale: ${why}`;
  evaluation.conditions.set('AbleToScale', { status: 'False', reason: 'FailedGetScale', message });
  evaluation.isAbleToScaleOpen = false;
  evaluation.isUndecided = true;
  evaluation.reason = 'The scale could not be read';
  note(evaluation, 'scale-unreadable', `the scale could not be read: ${why}`);
}
