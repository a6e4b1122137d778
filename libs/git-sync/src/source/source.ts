import type { FilePlace } from '#policy';
import type { CommitReference, LeaveTarget } from '#reconciliation';
import type { HoldEffect, OtherBounds } from '#repository';
import type { Participants } from '../approve/may-approve.ts';
import type { Approvals, Hold, Requester } from '../holds/approvals.ts';
import type { LastSync, SyncOutcome } from '../ports/sync-outcome.ts';
import type { SaveSource } from './source-record.ts';

/** Who asks for something, and why; both are recorded. */
export interface OperatorRequest extends Requester {
  readonly reason: string;
}

/** What a rollback would do. */
export interface RollbackRehearsal {
  readonly outcome: 'active' | 'partial' | 'held' | 'rejected';
  readonly message: string;
  readonly effect: HoldEffect;
}

/** What a look would come to. */
export interface LookRehearsal extends Omit<RollbackRehearsal, 'outcome'> {
  readonly outcome: SyncOutcome['result'];
  /** What the ref has; null: it could not be read. */
  readonly commit: CommitReference | null;
}

/**
 * What operators decide about a source. Within one turn ({@link Source.inTurn}) nothing else changes the source, so what
 * was looked at there still holds where it is acted on. What fails on the way is an outcome, and what is in force stays.
 * What is decided is stored first, by `save` where there is one: what ends in between is carried on by the next look.
 */
export interface SourceTurn {
  /** Approves exactly the hold of that digest, and puts it into force; null: nothing of that digest waits any more. */
  approve(digest: string, request: OperatorRequest, save?: SaveSource): Promise<SyncOutcome | null>;
  /** Rejects the hold of that digest: what is in force stays. False: nothing of that digest waits any more. */
  reject(digest: string, request: OperatorRequest, save?: SaveSource): Promise<boolean>;
  /** Takes a policy (`shop/checkout`) out of force, its HPA and count kept, whatever its document says. */
  release(policy: string, request: OperatorRequest, save?: SaveSource): Promise<SyncOutcome>;
  /**
   * Takes every policy of it out of force, HPAs and counts kept, until each is resumed by its name; what is to carry
   * their targets on is kept with the releases.
   */
  leave(to: LeaveTarget, request: OperatorRequest, save?: SaveSource): Promise<SyncOutcome>;
  /** Takes back the release of a policy; without one, lets a source that was rolled back follow its ref again. */
  resume(request: OperatorRequest & { readonly policy?: string }, save?: SaveSource): Promise<SyncOutcome>;
  /** What the look after {@link SourceTurn.resume} would come to now; nothing is stored or put into force. */
  rehearseResume(request: OperatorRequest & { readonly policy?: string }): Promise<LookRehearsal>;
  /** What a look would come to now; nothing is stored or put into force. */
  rehearseSync(): Promise<LookRehearsal>;
  /** What {@link SourceTurn.rollBack} would do now; nothing is. @throws AdapterError */
  rehearseRollBack(commit: string, request: OperatorRequest): Promise<RollbackRehearsal>;
  /** Puts what was in force with an earlier revision into force, and keeps the source there until it is resumed. */
  rollBack(commit: string, request: OperatorRequest, save?: SaveSource): Promise<SyncOutcome>;
}

/**
 * A source of policies: one that the configuration names, or one that it no longer names and whose policies are still in
 * force. Work on one source runs in the order in which it was asked for; what is asked of it outside of a turn has one of its own.
 */
export interface Source extends SourceTurn {
  readonly name: string;
  /** The newest commit of which anything is in force; null before the first activation. */
  readonly commit: CommitReference | null;
  /** The revision that the source was rolled back to, by whom and why; null: it follows its ref. */
  readonly pin: Approvals['pin'];
  /** Policies that were released by name, by whom and why. */
  readonly released: Approvals['released'];
  /** The latest look at its ref, with what a rollback since came to, which is no look; null before the first. */
  readonly lastSync: LastSync | null;
  /** Whether a policy (`shop/checkout`) of it is in force. */
  hasPolicy(policy: string): boolean;
  /**
   * Why a policy (`shop/checkout`) may not have those bounds: what its tenant's limits and the guardrails in force say,
   * in sentences; none of it where the policy's own bounds are against it, too.
   */
  judgeBounds(policy: string, bounds: OtherBounds): readonly string[];
  /** What awaits approval. */
  holds(): readonly Hold[];
  /** Puts what was in force into force again, from the store alone: a start needs no Git server. */
  restore(): Promise<void>;
  /** Takes over what another process has stored since, and writes nothing; to be called where that process syncs. */
  follow(): Promise<void>;
  /** Looks at the source now. A call during a sync gets the next one, which all such calls share. */
  sync(): Promise<SyncOutcome>;
  /**
   * Those who took part in what is held, and therefore may not approve it.
   *
   * @throws AdapterError where Git does not know the commits.
   */
  participants(hold: Hold): Promise<Participants>;
  /** The lines of a commit's files at some places; null where one cannot be told. @throws AdapterError */
  loadLines(
    commit: string,
    places: readonly Pick<FilePlace, 'file' | 'line'>[],
  ): Promise<readonly (string | null)[]>;
  /**
   * Does work while nothing else is done to the source.
   *
   * @throws what the work throws; AdapterError `TurnTimeout` where the turn does not come within 30 seconds, `Busy` where
   *   too much waits for one: then nothing is done.
   */
  inTurn<T>(work: (turn: SourceTurn) => Promise<T>): Promise<T>;
}
