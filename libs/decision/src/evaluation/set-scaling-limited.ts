import type { Evaluation } from './evaluation.ts';

export type LimitReason =
  'DesiredWithinRange' | 'TooFewReplicas' | 'TooManyReplicas' | 'ScaleUpLimit' | 'ScaleDownLimit';

/** A count after a limit, and the bound that limited it. */
export interface Limit {
  readonly count: number;
  readonly reason: LimitReason;
}

const messages: Readonly<Record<LimitReason, string>> = {
  DesiredWithinRange: 'the desired count is within the acceptable range',
  TooFewReplicas: 'the desired replica count is less than the minimum replica count',
  TooManyReplicas: 'the desired replica count is more than the maximum replica count',
  ScaleUpLimit: 'the desired replica count is increasing faster than the maximum scale rate',
  ScaleDownLimit: 'the desired replica count is decreasing faster than the maximum scale rate',
};

/** ScalingLimited is True where a limit changed the stabilised count. */
export function setScalingLimited(evaluation: Evaluation, { count, reason }: Limit): void {
  const status = count === evaluation.stabilized ? 'False' : 'True';
  evaluation.conditions.set('ScalingLimited', { status, reason, message: messages[reason] });
}
