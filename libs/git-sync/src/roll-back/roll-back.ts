import { runInTimeSlices } from '#kernel';
import { holdEffect, type ManagedNamespaces, type PolicyDigests } from '#repository';
import { effectOfChanges } from '../activate/effect-of-changes.ts';
import { loadReplicas } from '../judge/load-replicas.ts';
import type { RevisionRecord } from '../ports/revision-store.port.ts';
import type { SyncOutcome } from '../ports/sync-outcome.ts';
import type { SyncPorts } from '../setup/sync-ports.ts';
import type { OperatorRequest, RollbackRehearsal } from '../source/source.ts';
import type { SourceRecord } from '../source/source-record.ts';
import { type JudgedRollback, judgeRollback } from './judge-rollback.ts';
import { documentsToRestore, planRollback, type RollbackPlan } from './plan-rollback.ts';

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
export function rollBack(rollback: RollbackRequest): Promise<SyncOutcome> {
  const { ports, record, commit } = rollback;
  return withPlan(rollback, async (planned) => {
    if (planned === null) {
      await record.requestRollback(null);
      return record.outcome('failed', `RevisionUnknown: ${commit} was never in force as a whole`);
    }
    const { plan, judged, revision } = planned;
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

/** What a rollback would do now, which is not done. Runs inside the record's queue. @throws AdapterError */
export function rehearseRollBack(rollback: RollbackRequest): Promise<RollbackRehearsal> {
  return withPlan(rollback, (planned) => Promise.resolve(rehearsalOf(rollback, planned)));
}

function rehearsalOf({ commit }: RollbackRequest, planned: PlannedRollback | null): RollbackRehearsal {
  if (planned === null) {
    const message = `${commit} was never in force as a whole`;
    return { outcome: 'rejected', message, effect: holdEffect([]) };
  }
  const { outcome, run, changes } = planned.plan;
  return { outcome, message: run.message, effect: effectOfChanges(changes) };
}

interface PlannedRollback {
  readonly plan: RollbackPlan;
  readonly judged: JudgedRollback;
  readonly revision: RevisionRecord;
}

/** Plans a rollback, and does with the plan what is to be done while nothing else comes into force. */
async function withPlan<T>(
  rollback: RollbackRequest,
  use: (planned: PlannedRollback | null) => Promise<T>,
): Promise<T> {
  const { ports, record, commit, request } = rollback;
  const { store, clock, active } = ports;
  const { source } = record.state;
  const [revision] = await store.loadRevisions([{ source, by: { commit }, outcomes: ['active'] }]);
  if (revision === undefined) return use(null);
  const time = clock.now();
  const judge = await prepareJudgement(rollback, revision.finishedAt, time);
  return active.runExclusively(async () => {
    const judged = await runInTimeSlices(judge(), clock, 'rollback: comparing with what is in force');
    const { state, approvals } = record;
    const inForce = active.documentsOf(source);
    const steps = planRollback({ state, approvals, revision, request, judged, inForce, time });
    const plan = await runInTimeSlices(steps, clock, 'rollback: planning');
    return use({ plan, judged, revision });
  });
}

/** Loads what the judgement needs; the answer judges against what is in force when it is called. */
async function prepareJudgement(
  { ports, record, digests, commit, managed }: RollbackRequest,
  revisionTime: string,
  time: string,
): Promise<() => Generator<void, JudgedRollback, void>> {
  const { store, active, clock, digest } = ports;
  const { approvals } = record;
  const { source } = record.state;
  const stored = await store.loadInForceAt(source, revisionTime);
  const released = new Set(approvals.released.map(({ policy }) => policy));
  const inForce = active.documentsOf(source);
  const steps = documentsToRestore(stored, { inForce, released, time });
  const wanted = await runInTimeSlices(steps, clock, 'rollback: reading what was in force');
  const known = new Set(inForce);
  const changed = wanted.filter((document) => !known.has(document)).flatMap(({ policy }) => policy ?? []);
  const replicas = await loadReplicas({ ports, approvals, changed });
  return () =>
    judgeRollback({
      wanted,
      inForce: active.documentsOf(source),
      foreign: active.policiesOfOthers(source),
      approvals,
      moment: { commit, time, digest },
      digests,
      ...replicas,
      ...(managed === undefined ? {} : { managed }),
    });
}
