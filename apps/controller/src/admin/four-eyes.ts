import { type Approver, type Hold, mayApprove, type Participants } from '#git-sync';
import { ownerOf, type Principal } from '../auth/principal.ts';
import type { PullRequestLookup } from './pull-request-lookup.ts';
import { QueryError } from './query-error.ts';
import type { SourceAccess } from './source-access.ts';
import type { SourceOperations } from './source-operations.ts';

/** Whether a caller took part in what is held, and may therefore not approve it. */
export class FourEyes {
  readonly #sources: Pick<SourceOperations, 'participants'>;
  readonly #access: SourceAccess;
  readonly #pullRequests: Pick<PullRequestLookup, 'find'>;

  constructor(ports: {
    readonly sources: Pick<SourceOperations, 'participants'>;
    readonly access: SourceAccess;
    readonly pullRequests: Pick<PullRequestLookup, 'find'>;
  }) {
    this.#sources = ports.sources;
    this.#access = ports.access;
    this.#pullRequests = ports.pullRequests;
  }

  /** @throws QueryError where the caller may not approve the hold */
  async check(principal: Principal, source: string, hold: Hold): Promise<void> {
    const { unknownApprovers } = this.#access.find(principal, source);
    const participants = await this.#sources.participants(source, hold);
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
}

/** The person, whichever of its tokens it comes with. */
function approverOf(principal: Principal): Approver {
  const { email, forgeLogin } = principal;
  return {
    name: ownerOf(principal),
    ...(email === undefined ? {} : { email }),
    ...(forgeLogin === undefined ? {} : { forgeLogin }),
  };
}
