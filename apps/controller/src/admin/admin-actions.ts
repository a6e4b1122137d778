import {
  type Approver,
  type Hold,
  mayApprove,
  type OperatorRequest,
  type Participants,
  type Requester,
  type SyncOutcome,
} from '#git-sync';
import { AdapterError, type JsonObject } from '#kernel';
import { adminStream, type LedgerWriter } from '#ledger';
import type { ClockPort } from '#reconciliation';
import type { Principal } from '../auth/token-authenticator.ts';
import type { ProcessFences } from '../ledger/process-fences.ts';
import { checkArguments } from './check-arguments.ts';
import type { PullRequestLookup } from './pull-request-lookup.ts';
import { QueryError } from './query-error.ts';
import type { OperatorActionName, RefusalRecorder } from './refusal-recorder.ts';
import type { SourceOperations, SourceView } from './source-operations.ts';

/** A reason is a sentence for the readers of the ledger. */
const maximumReasonCharacters = 1_000;

/** Who asks, and for what. */
export interface ActionRequest {
  readonly principal: Principal | undefined;
  readonly source: string;
  /** Mandatory for everything but a sync. */
  readonly reason?: string;
}

interface Action {
  readonly name: OperatorActionName;
  readonly request: ActionRequest;
  readonly details: JsonObject;
  /** True by default. */
  readonly needsReason?: boolean;
  /** @throws QueryError where the action is refused. */
  readonly check?: (principal: Principal) => Promise<void> | void;
}

/**
 * What people do to sources through the admin API; roles are checked before, where the operation stands. Each action is
 * an `OperatorAction` entry, refusals included; it is recorded before it is carried out, so that nothing happens that the
 * ledger does not know of.
 */
export class AdminActions {
  readonly #sources: SourceOperations;
  readonly #pullRequests: Pick<PullRequestLookup, 'find'>;
  readonly #writer: LedgerWriter;
  readonly #refusals: Pick<RefusalRecorder, 'record'>;
  readonly #clock: ClockPort;
  readonly #fences: Pick<ProcessFences, 'role'>;

  constructor(ports: {
    readonly sources: SourceOperations;
    readonly pullRequests: Pick<PullRequestLookup, 'find'>;
    readonly writer: LedgerWriter;
    readonly refusals: Pick<RefusalRecorder, 'record'>;
    readonly clock: ClockPort;
    readonly fences: Pick<ProcessFences, 'role'>;
  }) {
    this.#sources = ports.sources;
    this.#pullRequests = ports.pullRequests;
    this.#writer = ports.writer;
    this.#refusals = ports.refusals;
    this.#clock = ports.clock;
    this.#fences = ports.fences;
  }

  /** Looks at a source now. */
  sync(request: ActionRequest): Promise<SyncOutcome> {
    const action: Action = { name: 'SyncSource', request, details: {}, needsReason: false };
    return this.#carryOut(action, () => this.#sources.sync(request.source));
  }

  /** Approves exactly one hold. Never by a participant. */
  approve(request: ActionRequest & { readonly digest: string }): Promise<SyncOutcome> {
    const { source, digest } = request;
    const details = { digest };
    const check = (principal: Principal): Promise<void> => this.#refuseParticipants(principal, request);
    return this.#carryOut({ name: 'ApproveHold', request, details, check }, (by) =>
      this.#sources.approve(source, digest, by),
    );
  }

  /** Rejects one hold: what is in force stays. */
  reject(request: ActionRequest & { readonly digest: string }): Promise<void> {
    const { source, digest } = request;
    const check = (): void => void this.#holdOf(request);
    return this.#carryOut({ name: 'RejectHold', request, details: { digest }, check }, (by) =>
      this.#sources.reject(source, digest, by),
    );
  }

  /** Takes a policy out of force, its HPA and count kept. */
  release(request: ActionRequest & { readonly policy: string }): Promise<SyncOutcome> {
    const { source, policy } = request;
    const check = (): void => this.#requirePolicy(source, policy);
    return this.#carryOut({ name: 'ReleasePolicy', request, details: { policy }, check }, (by) =>
      this.#sources.release(source, policy, by),
    );
  }

  /** Puts an earlier revision in force, and holds the source there. */
  rollBack(request: ActionRequest & { readonly commit: string }): Promise<SyncOutcome> {
    const { source, commit } = request;
    const check = (): Promise<void> => this.#requireRevision(source, commit);
    return this.#carryOut({ name: 'RollBackSource', request, details: { commit }, check }, (by) =>
      this.#sources.rollBack(source, commit, by),
    );
  }

  /** Lets a source follow its ref again, or a released policy come back. */
  resume(request: ActionRequest & { readonly policy?: string }): Promise<SyncOutcome> {
    const { source, policy } = request;
    const details = policy === undefined ? {} : { policy };
    const check = (): void => requireResumable(this.#sourceOf(request), policy);
    return this.#carryOut({ name: 'ResumeSource', request, details, check }, (by) =>
      this.#sources.resume(source, { ...by, ...details }),
    );
  }

  /** Checked, then recorded, then carried out; what is refused is recorded with the reason of the refusal. */
  async #carryOut<T>(action: Action, run: (by: OperatorRequest) => Promise<T>): Promise<T> {
    if (this.#fences.role !== 'active') {
      throw new QueryError(
        'NotActive',
        `this process is ${this.#fences.role}; another one carries policies out`,
      );
    }
    const { principal, source } = action.request;
    if (principal === undefined) throw new QueryError('Forbidden', 'no caller is known');
    checkArguments({ source, ...action.details });
    const reason = action.needsReason === false ? '' : checkedReason(action.request);
    try {
      this.#sourceOf(action.request);
      await action.check?.(principal);
    } catch (error) {
      await this.#recordRefusal(action, { principal, error });
      refuseAtEnd(error);
    }
    await this.#recordAccepted(action, { principal, reason });
    return run({ ...requesterOf(principal), reason }).catch(refuseAtEnd);
  }

  #requirePolicy(source: string, policy: string): void {
    if (this.#sources.hasPolicy(source, policy)) return;
    throw new QueryError('UnknownPolicy', `${source} has no policy ${policy} in force`);
  }

  async #requireRevision(source: string, commit: string): Promise<void> {
    if (await this.#sources.hasRevision(source, commit)) return;
    const message = `${source} was never at ${commit} as a whole; its revisions that are active are what it can go back to`;
    throw new QueryError('UnknownRevision', message);
  }

  async #refuseParticipants(
    principal: Principal,
    request: ActionRequest & { readonly digest: string },
  ): Promise<void> {
    const { unknownApprovers } = this.#sourceOf(request);
    const participants = await this.#sources.participants(request.source, this.#holdOf(request));
    for (const pullRequestAuthor of await this.#pullRequestAuthors(participants)) {
      const involved = { ...participants, ...(pullRequestAuthor === null ? {} : { pullRequestAuthor }) };
      const right = mayApprove(approverOf(principal), involved, unknownApprovers);
      if (!right.isAllowed) throw new QueryError(right.code, right.message);
    }
  }

  /** Those that a forge named; null stands for "besides them", so that there is always one to look at. */
  async #pullRequestAuthors({ commits }: Participants): Promise<ReadonlySet<string | null>> {
    const found = await Promise.all(commits.map(({ hash }) => this.#pullRequests.find(hash)));
    return new Set([null, ...found.map((pullRequest) => pullRequest?.author ?? null)]);
  }

  #sourceOf({ source }: ActionRequest): SourceView {
    const found = this.#sources.listSources().find(({ name }) => name === source);
    if (found === undefined)
      throw new QueryError('UnknownSource', `no source is named ${JSON.stringify(source)}`);
    return found;
  }

  #holdOf(request: ActionRequest & { readonly digest: string }): Hold {
    const found = this.#sourceOf(request).holds.find(({ digest }) => digest === request.digest);
    if (found === undefined) {
      throw new QueryError(
        'UnknownHold',
        `${request.source} has no hold ${request.digest}; a newer commit may have replaced it`,
      );
    }
    return found;
  }

  /** Only what the caller got wrong: what fails on our side is no refusal. */
  async #recordRefusal(
    { name, request, details }: Action,
    { principal, error }: { readonly principal: Principal; readonly error: unknown },
  ): Promise<void> {
    if (!(error instanceof QueryError)) return;
    await this.#refusals.record({
      actor: principal.name,
      action: name,
      arguments: { source: request.source, ...details },
      reason: error.message,
    });
  }

  async #recordAccepted(
    { name, request, details }: Action,
    { principal, reason }: { readonly principal: Principal; readonly reason: string },
  ): Promise<void> {
    const appended = await this.#writer.append({
      drafts: [
        {
          stream: adminStream,
          kind: 'OperatorAction',
          time: this.#clock.now(),
          payload: {
            actor: principal.name,
            action: name,
            outcome: 'Accepted',
            reason: reason === '' ? null : reason,
            arguments: { source: request.source, ...details },
          },
        },
      ],
    });
    if (!appended.ok) {
      throw new AdapterError({
        code: appended.error.code,
        message: 'the action could not be recorded',
        retryable: true,
      });
    }
  }
}

function checkedReason({ reason = '' }: ActionRequest): string {
  const { length } = reason.trim();
  if (length >= 1 && length <= maximumReasonCharacters) return reason.trim();
  const bound = `1 to ${maximumReasonCharacters} characters`;
  throw new QueryError('ReasonRequired', `a reason of ${bound} is required, this one has ${length}`);
}

/** A process that ends is no error of ours. */
function refuseAtEnd(error: unknown): never {
  if (error instanceof AdapterError && error.code === 'Closed')
    throw new QueryError('NotActive', error.message);
  throw error;
}

function requireResumable({ name, pin, released }: SourceView, policy: string | undefined): void {
  if (policy === undefined && pin === null)
    throw new QueryError('NotRolledBack', `${name} is not rolled back: it follows its ref`);
  if (policy !== undefined && !released.some((release) => release.policy === policy))
    throw new QueryError('NotReleased', `${policy} of ${name} is not released`);
}

function requesterOf({ name, email, forgeLogin }: Principal): Requester {
  return {
    by: name,
    ...(email === undefined ? {} : { email }),
    ...(forgeLogin === undefined ? {} : { forgeLogin }),
  };
}

function approverOf({ name, email, forgeLogin }: Principal): Approver {
  return {
    name,
    ...(email === undefined ? {} : { email }),
    ...(forgeLogin === undefined ? {} : { forgeLogin }),
  };
}
