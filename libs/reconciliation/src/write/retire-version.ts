import { type NamespacedName, namespacedName } from '#kernel';
import { endedFailure } from '../outcome/version-end.ts';
import type { Pass } from '../pass/pass.ts';
import type { RetirementWaits } from '../plan/retirement-waits.ts';
import { momentOf } from '../ports/clock.port.ts';
import type { AutoscalerRetirementOutcome } from '../ports/native-autoscalers.port.ts';
import type { ScaleWriteFailure } from '../ports/scale.port.ts';
import type { WriteFailure } from '../runtime/pending-write.ts';

/** What a pass that finds out what became of a write works with. */
export type FindingPass = Pick<Pass, 'ports' | 'options' | 'semaphore' | 'deadline'>;

/** What a look at the object of an unanswered write came to. */
export interface Finding<O> {
  readonly outcome: O;
  /** Makes the version that was looked at a former one; null: no request can take effect on it. */
  readonly retire:
    ((unwanted: () => ScaleWriteFailure | null) => Promise<AutoscalerRetirementOutcome>) | null;
}

/** Whose write it is, and whether nothing of the policy is written any more. */
export interface UnansweredWrite {
  readonly policy: NamespacedName;
  readonly isDryRun: boolean;
  /** Of the policy, where passes look for the outcome again and again; null: they do not. */
  readonly waits: RetirementWaits | null;
}

interface NotMade {
  readonly kind: 'Failed';
  readonly failure: WriteFailure;
}

interface NotKnown {
  readonly kind: 'Unknown';
  readonly message: string;
}

/** An object that changes under so many attempts is looked at again by the next pass. */
const maximumAttempts = 3;

/**
 * Finds out what became of a write without an answer. One that was not made may still be under way, and would take effect
 * on the version that it was sent for, or that a retry after a 409 was: before it is called not made, the version that
 * there is becomes a former one. Where that is refused, the outcome says so; where it keeps failing, it waits between two.
 *
 * @throws DeadlineExceeded
 * @see docs/adr/0016-the-model-of-fencing.md
 */
export async function withVersionRetired<M extends { readonly kind: 'Written' }>(
  pass: FindingPass,
  write: UnansweredWrite,
  look: () => Promise<Finding<M | NotMade | NotKnown>>,
): Promise<M | NotMade | NotKnown> {
  for (let attempt = 1; attempt <= maximumAttempts; attempt += 1) {
    const { outcome, retire } = await look();
    if (outcome.kind !== 'Failed' || retire === null) return outcome;
    const withheld = whyNotRetired(pass, write);
    if (withheld !== null) return mayComeLate(outcome.failure, withheld);
    const retirement = await retireInTime(pass, write, retire);
    switch (retirement.kind) {
      case 'Retired':
        return outcome;
      case 'Changed':
        continue;
      case 'Refused':
        warn(pass, write, retirement.message);
        return mayComeLate(outcome.failure, retirement.message);
      case 'Unknown':
        return { kind: 'Unknown', message: retirement.message };
    }
  }
  return { kind: 'Unknown', message: 'the object of the write keeps changing' };
}

/** Sends the request, unless those before it have failed so often that it waits. */
async function retireInTime(
  { ports }: FindingPass,
  { policy, waits }: UnansweredWrite,
  retire: NonNullable<Finding<unknown>['retire']>,
): Promise<AutoscalerRetirementOutcome> {
  const waiting = waits?.waitAt(ports.clock.monotonicMilliseconds()) ?? null;
  if (waiting !== null) return { kind: 'Unknown', message: waiting };
  const unwanted = (): ScaleWriteFailure | null =>
    ports.shards.mayWrite(policy) ? null : endedFailure('NotHeld');
  const retirement = await retire(unwanted);
  // A process that may not write is no failure of the API server's.
  if (retirement.kind !== 'Unknown' || waits === null || unwanted() !== null) return retirement;
  return { kind: 'Unknown', message: waits.note(retirement.message, momentOf(ports.clock)) };
}

function whyNotRetired({ options }: FindingPass, { isDryRun }: UnansweredWrite): string | null {
  if (options.mode === 'Observe') return 'mode Observe: nothing is written';
  return isDryRun ? 'nothing is written in a dry run' : null;
}

/** The version stands, so a request that is late can still be made. */
function mayComeLate(unmade: WriteFailure, why: string): NotMade {
  const { code, message } = unmade;
  const failure = {
    ...unmade,
    code: code === 'NotApplied' ? 'MayComeLate' : code,
    message: `${message}; a request that is still under way could yet be made, since the version it was sent for could not be made a former one: ${why}`,
    mayHaveBeenMade: true,
  };
  return { kind: 'Failed', failure };
}

function warn({ ports }: FindingPass, { policy }: UnansweredWrite, why: string): void {
  const key = namespacedName(policy);
  const text = `${key}  a write without an answer could yet be made, since the version it was sent for could not be made a former one: ${why}`;
  ports.log.write({ level: 'warn', text, fields: { policy: key } });
}
