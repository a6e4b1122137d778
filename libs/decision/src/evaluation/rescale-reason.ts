import type { Evaluation } from './evaluation.ts';

/** Upstream's reason for the change that the winning metric proposes; null where it proposes none. */
export function rescaleReason({ winner, present }: Evaluation): string | null {
  if (winner === null || winner.result.proposal === present) return null;
  if (winner.result.convergence === 'Converging') return 'Value between Watermarks';
  return winner.result.proposal > present ? `${winner.rescaleName} above target` : 'All metrics below target';
}
