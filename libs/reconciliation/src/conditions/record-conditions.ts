import type { VersionEnd } from '../outcome/version-end.ts';
import { ledgerAppend } from '../pass/awaited-calls.ts';
import { DeadlineExceeded } from '../pass/deadline.ts';
import type { Pass } from '../pass/pass.ts';
import type { EventSubject } from '../ports/kubernetes-events.port.ts';
import { append } from '../record/append.ts';

/**
 * Makes a policy's conditions durable where any has changed, so that a restart keeps since when each is as it is. It is
 * no part of what the pass came to, and keeps no pass from recording or writing: what could not be stored is stored
 * after the next one. The ledger's queue keeps the order of what is sent.
 *
 * @param seen the reason of the pass's outcome, and what the policy's events are about
 */
export async function recordConditions(
  { ports, runtime, deadline }: Pick<Pass, 'ports' | 'runtime' | 'deadline'>,
  seen: { readonly reason: string; readonly subject: EventSubject },
): Promise<void> {
  const { conditions, versionEnd } = runtime;
  const hasLeft = versionEnd !== null && endsConditions.has(versionEnd);
  // A ledger that has just failed gets nothing more from this pass, and a policy that left has no conditions here. Of one
  // that is given up, whoever decides it next records what changed: here its runs are being sealed.
  if (hasLeft || deadline.isAbandoned || seen.reason === 'LedgerUnavailable') return;
  const changed = conditions.takeUnrecorded();
  if (changed === null) return;
  const { namespace, name } = runtime.active.policy;
  const request = { drafts: [], conditions: [{ policy: { namespace, name }, conditions: changed }] };
  const answer = append(ports, request).then((appended) => {
    if (appended.kind === 'Stored') {
      conditions.noteRecorded(changed);
      return;
    }
    const isNews = conditions.noteUnrecorded();
    if (appended.kind === 'Unknown' || !isNews) return;
    const { subject } = seen;
    const { message } = appended.outcome;
    const event = { subject, type: 'Warning', reason: 'FailedUpdateStatus', message } as const;
    ports.kubernetesEvents.emit({ ...event, time: ports.clock.now() });
  });
  try {
    await deadline.race(answer, ledgerAppend);
  } catch (error) {
    if (!(error instanceof DeadlineExceeded)) throw error;
  }
}

const endsConditions: ReadonlySet<VersionEnd> = new Set(['Left', 'Retargeted', 'NotHeld']);
