import type { Pass } from '../pass/pass.ts';
import type { ScaleWriteFailure } from '../ports/scale.port.ts';
import type { IntendedWrite } from '../record/drafts.ts';
import { targetSubjectOf } from '../reporting/event-subject.ts';

/**
 * Upstream's event of a rescale, on the target: the HorizontalPodAutoscaler's, or the Watermark Pod Autoscaler's.
 *
 * @see docs/spec/events.md
 */
export function emitRescale({ ports }: Pass, { active, scale, to, reason }: IntendedWrite): void {
  ports.kubernetesEvents.emit({
    subject: targetSubjectOf(active, scale),
    type: 'Normal',
    reason: active.policy.family === 'watermark' ? 'Scaling' : 'SuccessfulRescale',
    message: `New size: ${to}; reason: ${reason}`,
    time: ports.clock.now(),
  });
}

/** Upstream's event of a rescale that failed. */
export function emitFailedRescale({ ports }: Pass, write: IntendedWrite, failure: ScaleWriteFailure): void {
  const { active, scale, to, reason } = write;
  ports.kubernetesEvents.emit({
    subject: targetSubjectOf(active, scale),
    type: 'Warning',
    reason: active.policy.family === 'watermark' ? 'FailedScale' : 'FailedRescale',
    message: `New size: ${to}; reason: ${reason}; error: ${failure.message}`,
    time: ports.clock.now(),
  });
}
