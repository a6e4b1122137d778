import type { CommitStatus, ForgePort, PullRequest } from '#git-sync';
import type { JsonObject } from '#kernel';
import {
  loginAt,
  type MergedPullRequest,
  numberAt,
  objectOf,
  type Review,
  textAt,
  timeAt,
} from './forge-answer.ts';
import type { ForgeHttp } from './forge-http.ts';
import { RepositoryApi, type ReviewPages } from './repository-api.ts';

/** Gitea has no bound of its own; its pages show about this much. */
const maximumDescriptionCharacters = 255;

/** Beyond a thousand reviews it is unknown whose last review approved. */
const reviewPages: ReviewPages = { pageSize: 'limit=50', maximumPages: 20, reviewOf };

/** States of a review that are an opinion. */
const opinions = new Set(['APPROVED', 'REQUEST_CHANGES']);

/** Gitea and Forgejo. @see https://docs.gitea.com/api */
export class GiteaForge implements ForgePort {
  readonly #api: RepositoryApi;

  /** `repository` is `owner/name`. */
  constructor(http: ForgeHttp, repository: string) {
    this.#api = new RepositoryApi(http, repository);
  }

  readonly loadPullRequest = async (commit: string): Promise<PullRequest | null> => {
    const answer = await this.#api.request(`/commits/${commit}/pull`);
    if (answer === undefined) return this.#none();
    const found = objectOf(answer);
    const pull = this.#api.has(found) ? mergedOf(found) : null;
    return pull === null ? null : this.#api.withApprovers(pull, reviewPages);
  };

  /** It says the same where no pull request brought the commit, and where the token may not see the repository. */
  async #none(): Promise<null> {
    if ((await this.#api.request('')) === undefined) throw this.#api.notShown('repository');
    return null;
  }

  readonly writeStatus = (status: CommitStatus): Promise<void> =>
    this.#api.writeStatus(status, maximumDescriptionCharacters);
}

function mergedOf(pull: JsonObject): MergedPullRequest | null {
  const number = numberAt(pull, 'number');
  if (pull['merged'] !== true) return null;
  const author = loginAt(pull, 'user', 'login');
  const mergeCommit = textAt(pull, 'merge_commit_sha');
  const branch = textAt(pull, 'base', 'ref') ?? '';
  return { number, author, branch, mergeCommit, mergedAt: timeAt(pull, 'merged_at') };
}

function reviewOf(review: JsonObject): readonly Review[] {
  const reviewer = loginAt(review, 'user', 'login');
  const state = textAt(review, 'state') ?? '';
  if (reviewer === null || !opinions.has(state)) return [];
  const isApproval = state === 'APPROVED' && review['dismissed'] !== true;
  return [{ reviewer, isApproval, time: timeAt(review, 'submitted_at') }];
}
