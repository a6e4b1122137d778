import type { OperatorReference, PolicyDeparture } from '#ledger';
import { identityKey } from '#repository';
import type { Approvals, OperatorDecision } from '../holds/approvals.ts';
import type { StoredDocument } from '../ports/revision-store.port.ts';

/** Who did something to a document in place of the commit's author; undefined: the commit did. */
export type OperatorOf = (
  document: Pick<StoredDocument, 'role' | 'tenant' | 'namespace' | 'name' | 'file'>,
  departure: PolicyDeparture | null,
) => OperatorReference | undefined;

/** In a run over a commit: who released a policy by its name, and who took that back. */
export function operatorOfActivation({ released, returning }: Approvals): OperatorOf {
  const releases = new Map(released.map((release) => [release.policy, release]));
  const returns = new Map(returning.map((release) => [release.policy, release]));
  return (document, departure) => {
    const name = identityKey(document);
    if (departure === 'Released') return operatorReference('ReleasePolicy', releases.get(name));
    return departure === null ? operatorReference('ResumeSource', returns.get(name)) : undefined;
  };
}

/** In a run that one person's action was, whole. */
export function operatorOfAll(
  action: OperatorReference['action'],
  request: Pick<OperatorDecision, 'by' | 'reason'>,
): OperatorOf {
  return () => operatorReference(action, request);
}

/** In a run whose entries are missing, by the approvals that were stored with it. */
export function operatorOfUnrecorded(approvals: Approvals, time: string): OperatorOf {
  const { pin } = approvals;
  return pin?.time === time ? operatorOfAll('RollBackSource', pin) : operatorOfActivation(approvals);
}

function operatorReference(
  action: OperatorReference['action'],
  request: Pick<OperatorDecision, 'by' | 'reason'> | undefined,
): OperatorReference | undefined {
  return request === undefined ? undefined : { action, by: request.by, reason: request.reason };
}
