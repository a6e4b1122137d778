import type { ReconcilePorts } from '../pass/pass.ts';

/** A fleet brake that never closes, for worlds of few policies. */
export const anOpenBrake: ReconcilePorts['brake'] = {
  note: () => Promise.resolve(null),
  mayHold: () => false,
};
