import { compareInstants } from '#kernel';
import type { EffectivePolicy } from '#policy';
import { instantOf } from '../model/instant-of.ts';
import type { Observation } from '../model/observation.ts';

/** Whether nothing of a decision is written: the policy is a dry run, or an intervention in force makes it one. */
export function isDryRun(
  { dryRun }: Pick<EffectivePolicy, 'dryRun'>,
  { time, interventions }: Pick<Observation, 'time' | 'interventions'>,
): boolean {
  return (
    dryRun || (interventions ?? []).some(({ kind, expires }) => kind === 'DryRun' && isBefore(time, expires))
  );
}

function isBefore(time: string, expires: string): boolean {
  const [now, end] = [instantOf(time), instantOf(expires)];
  return now !== undefined && end !== undefined && compareInstants(now, end) < 0;
}
