import { type Approver, type Hold, mayApprove, type Participants } from '#git-sync';
import { ownerOf, type Principal } from '../../auth/callers/principal.ts';
import type { ForgeObserver } from '../../forge/forge-observer.ts';
import type { SourceOperations } from '../../git-sync/source-operations.ts';
import type { PullRequestLookup } from '../history/pull-request-lookup.ts';
import { QueryError } from '../requests/query-error.ts';
import type { SourceAccess } from '../sources/source-access.ts';

/** Whether a caller took part in what is held, and may therefore not approve it. */
export class FourEyes {
  readonly #sources: Pick<SourceOperations, 'participants'>;
  readonly #access: SourceAccess;
  readonly #pullRequests: Pick<PullRequestLookup, 'find'>;
  readonly #forges: Pick<ForgeObserver, 'whyUnanswered'>;

  constructor(ports: {
    readonly sources: Pick<SourceOperations, 'participants'>;
    readonly access: SourceAccess;
    readonly pullRequests: Pick<PullRequestLookup, 'find'>;
    readonly forges: Pick<ForgeObserver, 'whyUnanswered'>;
  }) {
    this.#sources = ports.sources;
    this.#access = ports.access;
    this.#pullRequests = ports.pullRequests;
    this.#forges = ports.forges;
  }

  /** @throws QueryError where the caller may not approve the hold */
  async check(principal: Principal, source: string, hold: Hold): Promise<void> {
    const { unknownApprovers } = this.#access.find(principal, source);
    const participants = await this.#sources.participants(source, hold);
    const unverifiedCommits = await this.#withoutAuthor(participants, principal);
    const unanswered = await this.#unanswered(source, hold, participants);
    for (const pullRequestAuthor of await this.#pullRequestAuthors(participants)) {
      const involved = {
        ...participants,
        unverifiedCommits,
        ...(unanswered === null ? {} : { unanswered }),
        ...(pullRequestAuthor === null ? {} : { pullRequestAuthor }),
      };
      const right = mayApprove(approverOf(principal), involved, unknownApprovers);
      if (!right.isAllowed) throw new QueryError(right.code, right.message);
    }
  }

  /** With a forge alone it is the forge that says who brought the commit, and until it has, anybody may have. */
  async #unanswered(
    source: string,
    { commit }: Hold,
    { commits, areAuthorsKnown, areSignersKnown = false }: Participants,
  ): Promise<NonNullable<Participants['unanswered']> | null> {
    if (commits.length === 0 || areSignersKnown || !areAuthorsKnown) return null;
    const pullRequest = await this.#pullRequests.find(commit);
    if (pullRequest?.verified === true) return null;
    return { commit, because: this.#forges.whyUnanswered(source, commit) };
  }

  /** Of the others a forge says who brought them, by a login that the caller's can be compared with. */
  async #withoutAuthor(
    { unverifiedCommits = [] }: Participants,
    { forgeLogin }: Principal,
  ): Promise<readonly string[]> {
    if (forgeLogin === undefined) return unverifiedCommits;
    const found = await Promise.all(unverifiedCommits.map((hash) => this.#pullRequests.find(hash)));
    return unverifiedCommits.filter((_hash, index) => {
      const pullRequest = found[index] ?? null;
      return pullRequest === null || !pullRequest.verified || pullRequest.author === null;
    });
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
