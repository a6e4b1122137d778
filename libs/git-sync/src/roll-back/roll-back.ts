import { namespacedName, runInTimeSlices } from '#kernel';
import type { ManagedNamespaces, PolicyDigests } from '#repository';
import type { SyncPorts } from '../ports/sync-ports.ts';
import type { OperatorRequest } from '../source.ts';
import type { SourceRecord } from '../source-record.ts';
import type { SyncOutcome } from '../sync-outcome.ts';
import { type JudgedRollback, judgeRollback } from './judge-rollback.ts';
import { documentsToRestore, planRollback } from './plan-rollback.ts';

/** A rollback that was asked for. */
export interface RollbackRequest {
  readonly ports: SyncPorts;
  readonly record: SourceRecord;
  readonly digests: PolicyDigests;
  /** Of today's configuration; absent: every namespace is managed. */
  readonly managed: ManagedNamespaces | undefined;
  /** The revision to go back to. */
  readonly commit: string;
  readonly request: OperatorRequest;
}

/**
 * Puts what was in force with an earlier revision into force, from the store alone: it works while Git is down. Every
 * cause but the blast radius holds it as it would hold a commit. Runs inside the record's queue.
 *
 * @throws AdapterError where the store or the ledger fails.
 */
export async function rollBack(rollback: RollbackRequest): Promise<SyncOutcome> {
  const { ports, record, commit, request } = rollback;
  const { store, clock, active } = ports;
  const { source } = record.state;
  const revision = await store.loadRevision(source, commit);
  if (revision === undefined)
    return record.outcome('failed', `RevisionUnknown: ${commit} was never in force as a whole`);
  const time = clock.now();
  const judge = await prepareJudgement(rollback, revision.finishedAt, time);
  return active.runExclusively(async () => {
    const judged = await runInTimeSlices(judge(), clock, 'rollback: comparing with what is in force');
    const { state, approvals } = record;
    const inForce = active.documentsOf(source);
    const steps = planRollback({ state, approvals, revision, request, judged, inForce, time });
    const plan = await runInTimeSlices(steps, clock, 'rollback: planning');
    await record.commit(plan);
    const { diagnostics } = judged;
    const { message } = plan.run;
    const outcome = {
      ...record.outcome(plan.outcome, message),
      commit: revision.commit,
      diagnostics,
    };
    ports.events?.ended(outcome);
    return outcome;
  });
}

/** Loads what the judgement needs; the answer judges against what is in force when it is called. */
async function prepareJudgement(
  { ports, record, digests, commit, managed }: RollbackRequest,
  revisionTime: string,
  time: string,
): Promise<() => Generator<void, JudgedRollback, void>> {
  const { store, active, clock, presentReplicas, digest } = ports;
  const { approvals } = record;
  const { source } = record.state;
  const stored = await store.loadInForceAt(source, revisionTime);
  const released = new Set(approvals.released.map(({ policy }) => policy));
  const inForce = active.documentsOf(source);
  const steps = documentsToRestore(stored, { inForce, released, time });
  const wanted = await runInTimeSlices(steps, clock, 'rollback: reading what was in force');
  const known = new Set(inForce);
  const changed = wanted.filter((document) => !known.has(document)).flatMap(({ policy }) => policy ?? []);
  const present = changed.length === 0 ? new Map<string, number>() : await presentReplicas(changed);
  return () =>
    judgeRollback({
      wanted,
      inForce: active.documentsOf(source),
      foreign: active.policiesOfOthers(source),
      approvals,
      moment: { commit, time, digest },
      digests,
      presentReplicas: (policy) => present.get(namespacedName(policy)),
      ...(managed === undefined ? {} : { managed }),
    });
}
