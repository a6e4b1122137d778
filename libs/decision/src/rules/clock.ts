import { type Evaluation, note, type RuleOutcome } from '../evaluation/evaluation.ts';

/** Reports that remembered times of the future count as now. */
export function clock(evaluation: Evaluation): RuleOutcome {
  const { cutTimes, settings } = evaluation;
  if (cutTimes === 0) return 'next';
  const limit = String(settings.maximumFutureSeconds);
  const because = `${cutTimes} remembered times lie more than ${limit} s after this moment and count as now: the clock was set back`;
  note(evaluation, 'clock', because);
  return 'next';
}
