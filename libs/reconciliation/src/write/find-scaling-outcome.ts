import type { ScalingIntentPayload } from '#ledger';
import { readOfScale } from '../pass/awaited-calls.ts';
import { callKubernetes } from '../pass/call-kubernetes.ts';
import type { ScaleTarget } from '../policies/scale-target.ts';
import type { ScaleReading, ScaleState } from '../ports/scale.port.ts';
import type { RecordedScaling } from '../runtime/pending-write.ts';
import type { ExternalChange } from '../runtime/replica-account.ts';
import {
  type Finding,
  type FindingPass,
  type UnansweredWrite,
  withVersionRetired,
} from './retire-version.ts';
import { refusedWriteOutcomeOf, type WriteOutcome, writeOutcomeOf } from './write-outcome.ts';

/** What is known of the target of a write. */
export interface ScalingSearch extends Pick<UnansweredWrite, 'isDryRun' | 'waits'> {
  /** Its changes from the count that the intent names to the one that was read; `Behind`: they are not known yet. */
  readonly changesIn: (state: ScaleState) => Promise<readonly ExternalChange[] | 'Behind'>;
}

/**
 * Finds out what became of a write of a scale that was announced; one that is called not made cannot be made any more.
 *
 * @throws DeadlineExceeded
 */
export function findScalingOutcome(
  pass: FindingPass,
  { payload }: RecordedScaling,
  { isDryRun, waits, changesIn }: ScalingSearch,
): Promise<WriteOutcome> {
  const target = targetOf(payload);
  return withVersionRetired(
    pass,
    { policy: payload.policy, isDryRun, waits },
    async (): Promise<Finding<WriteOutcome>> => {
      const reading = await readLive(pass, target);
      if ('error' in reading) return { outcome: writeOutcomeOf(payload, reading, []), retire: null };
      const observed = reading.state;
      const changes = await changesIn(observed);
      if (changes === 'Behind') return behind;
      return {
        outcome: writeOutcomeOf(payload, reading, changes),
        retire: isTarget(payload, observed)
          ? (unwanted) =>
              callKubernetes(pass, `apply to the scale of ${target.kind} ${target.name}`, (signal) =>
                pass.ports.scale.retireVersion({ target, observed, unwanted }, signal),
              )
          : null,
      };
    },
  );
}

/**
 * Finds out what became of a write that was refused (409), since the scale is another one now. No version is retired: a
 * further request of the same version is refused, too.
 *
 * @throws DeadlineExceeded
 */
export async function findRefusedScalingOutcome(
  pass: FindingPass,
  { payload }: RecordedScaling,
  changesIn: ScalingSearch['changesIn'],
): Promise<WriteOutcome> {
  const reading = await readLive(pass, targetOf(payload));
  if ('error' in reading) return refusedWriteOutcomeOf(payload, reading, []);
  const changes = await changesIn(reading.state);
  return changes === 'Behind' ? behind.outcome : refusedWriteOutcomeOf(payload, reading, changes);
}

const behind: Finding<Extract<WriteOutcome, { readonly kind: 'Unknown' }>> = {
  outcome: { kind: 'Unknown', message: 'the watch has not reported the present scale yet' },
  retire: null,
};

/** Nothing that was sent to the object of the intent takes effect on another one. */
function isTarget({ target }: ScalingIntentPayload, { uid }: ScaleState): boolean {
  return target.uid === null || target.uid === uid;
}

/** The intent's own target: a new version of the policy may name another. */
function targetOf({ policy, target }: ScalingIntentPayload): ScaleTarget {
  const { apiVersion, kind, name } = target;
  return { namespace: policy.namespace, apiVersion, kind, name };
}

function readLive(pass: FindingPass, target: ScaleTarget): Promise<ScaleReading> {
  return callKubernetes(pass, readOfScale(target), (signal) =>
    pass.ports.scale.readScale({ target, freshness: 'Live' }, signal),
  );
}
