import {
  type Approver,
  type Hold,
  mayApprove,
  type OperatorRequest,
  type Participants,
  type SyncOutcome,
} from '#git-sync';
import { AdapterError, type JsonObject, messageOf } from '#kernel';
import { adminStream, type LedgerWriter } from '#ledger';
import type { ClockPort } from '#reconciliation';
import { mayAct, type Principal, type Role } from '../auth/token-authenticator.ts';
import type { ProcessFences } from '../ledger/process-fences.ts';
import type { PullRequestLookup } from './pull-request-lookup.ts';
import { QueryError } from './query-error.ts';
import type { SourceOperations, SourceView } from './source-operations.ts';

/** A reason is a sentence for whoever reads the ledger. */
const maximumReasonCharacters = 1_000;

/** Who asks, and for what. */
export interface ActionRequest {
  readonly principal: Principal | undefined;
  readonly source: string;
  /** Mandatory for everything but a sync. */
  readonly reason?: string;
}

interface Action {
  readonly name: string;
  readonly role: Role;
  readonly request: ActionRequest;
  readonly details: JsonObject;
  /** True unless said otherwise. */
  readonly needsReason?: boolean;
  /** Throws what refuses it. */
  readonly check?: (principal: Principal) => Promise<void> | void;
}

/**
 * What people do to sources through the admin API. Each action is an `OperatorAction` entry, refusals included; it is
 * recorded before it is carried out, so that nothing happens that the ledger does not know of.
 */
export class AdminActions {
  readonly #sources: SourceOperations;
  readonly #pullRequests: Pick<PullRequestLookup, 'find'>;
  readonly #writer: LedgerWriter;
  readonly #clock: ClockPort;
  readonly #fences: Pick<ProcessFences, 'role'>;

  constructor(ports: {
    readonly sources: SourceOperations;
    readonly pullRequests: Pick<PullRequestLookup, 'find'>;
    readonly writer: LedgerWriter;
    readonly clock: ClockPort;
    readonly fences: Pick<ProcessFences, 'role'>;
  }) {
    this.#sources = ports.sources;
    this.#pullRequests = ports.pullRequests;
    this.#writer = ports.writer;
    this.#clock = ports.clock;
    this.#fences = ports.fences;
  }

  /** Looks at a source now. Role operator. */
  sync(request: ActionRequest): Promise<SyncOutcome> {
    const action: Action = { name: 'SyncSource', role: 'operator', request, details: {}, needsReason: false };
    return this.#carryOut(action, () => this.#sources.sync(request.source));
  }

  /** Approves exactly one hold. Role approver; never by somebody who took part in it. */
  approve(request: ActionRequest & { readonly digest: string }): Promise<SyncOutcome> {
    const { source, digest } = request;
    const details = { digest };
    const check = (principal: Principal): Promise<void> => this.#refuseParticipants(principal, request);
    return this.#carryOut({ name: 'ApproveHold', role: 'approver', request, details, check }, (by) =>
      this.#sources.approve(source, digest, by),
    );
  }

  /** Rejects one hold: what is in force stays. Role approver. */
  reject(request: ActionRequest & { readonly digest: string }): Promise<void> {
    const { source, digest } = request;
    const check = (): void => void this.#holdOf(request);
    return this.#carryOut(
      { name: 'RejectHold', role: 'approver', request, details: { digest }, check },
      (by) => this.#sources.reject(source, digest, by),
    );
  }

  /** Takes a policy out of force, its HPA and count kept. Role approver. */
  release(request: ActionRequest & { readonly policy: string }): Promise<SyncOutcome> {
    const { source, policy } = request;
    return this.#carryOut({ name: 'ReleasePolicy', role: 'approver', request, details: { policy } }, (by) =>
      this.#sources.release(source, policy, by),
    );
  }

  /** Puts an earlier revision in force, and holds the source there. Role operator. */
  rollBack(request: ActionRequest & { readonly commit: string }): Promise<SyncOutcome> {
    const { source, commit } = request;
    return this.#carryOut({ name: 'RollBackSource', role: 'operator', request, details: { commit } }, (by) =>
      this.#sources.rollBack(source, commit, by),
    );
  }

  /** Lets a source follow its ref again, or a released policy come back. Role approver. */
  resume(request: ActionRequest & { readonly policy?: string }): Promise<SyncOutcome> {
    const { source, policy } = request;
    const details = policy === undefined ? {} : { policy };
    return this.#carryOut({ name: 'ResumeSource', role: 'approver', request, details }, (by) =>
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
    let by: OperatorRequest;
    try {
      by = await this.#checked(action);
    } catch (error) {
      await this.#record(action, { outcome: 'Refused', reason: messageOf(error) });
      throw error;
    }
    await this.#record(action, { outcome: 'Accepted', reason: by.reason === '' ? null : by.reason });
    return run(by);
  }

  async #checked({ role, request, needsReason = true, check }: Action): Promise<OperatorRequest> {
    const { principal } = request;
    if (principal === undefined || !mayAct(principal, role))
      throw new QueryError('Forbidden', `${principal?.name ?? 'nobody'} is no ${role}`);
    this.#sourceOf(request);
    const reason = needsReason ? checkedReason(request) : '';
    await check?.(principal);
    const { name, ...identity } = approverOf(principal);
    return { by: name, ...identity, reason };
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

  async #record(
    action: Action,
    verdict: { readonly outcome: 'Accepted' | 'Refused'; readonly reason: string | null },
  ): Promise<void> {
    const { name, request, details } = action;
    const appended = await this.#writer.append({
      drafts: [
        {
          stream: adminStream,
          kind: 'OperatorAction',
          time: this.#clock.now(),
          payload: {
            actor: request.principal?.name ?? 'nobody',
            action: name,
            ...verdict,
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

function approverOf({ name, email, forgeLogin }: Principal): Approver {
  return {
    name,
    ...(email === undefined ? {} : { email }),
    ...(forgeLogin === undefined ? {} : { forgeLogin }),
  };
}
