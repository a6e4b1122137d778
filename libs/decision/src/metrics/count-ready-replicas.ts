import { err, type Result } from '#kernel';
import { startEvaluation } from '../evaluation/evaluation.ts';
import type { DecideInput } from '../model/decide-input.ts';
import { isReadable, selectPods } from '../selection/select-pods.ts';
import { availability } from './availability.ts';

/**
 * The ready pods that a recommender is told of: those of the selection in force, at most `status.replicas`; or why there
 * are too few to ask. It needs no recommendation in the observation.
 *
 * @see docs/spec/watermark-rules.md "Ready pods"
 */
export function countReadyReplicas(input: DecideInput): Result<number, string> {
  const { scale } = input.observation;
  if (!isReadable(scale)) return err('the scale could not be read');
  const evaluation = startEvaluation(input, scale);
  const selected = selectPods(input, evaluation.selection);
  return availability({ evaluation, selected }).ready;
}
