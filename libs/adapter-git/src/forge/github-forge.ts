import type { CommitStatus, ForgePort, PullRequest } from '#git-sync';
import type { JsonObject } from '#kernel';
import {
  chosenPullRequest,
  loginAt,
  type MergedPullRequest,
  numberAt,
  objectsOf,
  type Review,
  textAt,
  timeAt,
} from './forge-answer.ts';
import type { ForgeHttp } from './forge-http.ts';
import { RepositoryApi, type ReviewPages } from './repository-api.ts';

/** GitHub refuses a longer description. */
const maximumDescriptionCharacters = 140;

/** Beyond a thousand reviews it is unknown whose last review approved. */
const reviewPages: ReviewPages = { pageSize: 'per_page=100', maximumPages: 10, reviewOf };

/** States of a review that are an opinion; a comment does not change the one before. */
const opinions = new Set(['APPROVED', 'CHANGES_REQUESTED', 'DISMISSED']);

/** @see https://docs.github.com/en/rest/commits/statuses */
export class GitHubForge implements ForgePort {
  readonly #api: RepositoryApi;

  /** `repository` is `owner/name`. */
  constructor(http: ForgeHttp, repository: string) {
    this.#api = new RepositoryApi(http, repository);
  }

  readonly loadPullRequest = async (commit: string, branch: string): Promise<PullRequest | null> => {
    const answer = await this.#api.request(`/commits/${commit}/pulls?per_page=100`);
    // Of a commit that no pull request brought the list is empty.
    if (answer === undefined) throw this.#api.notShown(`commit ${commit}`);
    const pulls = objectsOf(answer).filter((pull) => this.#api.has(pull));
    const pull = chosenPullRequest(pulls.flatMap(mergedOf), commit, branch);
    return pull === null ? null : this.#api.withApprovers(pull, reviewPages);
  };

  readonly writeStatus = (status: CommitStatus): Promise<void> =>
    this.#api.writeStatus(status, maximumDescriptionCharacters);
}

function mergedOf(pull: JsonObject): readonly MergedPullRequest[] {
  const number = numberAt(pull, 'number');
  const mergedAt = timeAt(pull, 'merged_at');
  if (mergedAt === null) return [];
  const author = loginAt(pull, 'user', 'login');
  const branch = textAt(pull, 'base', 'ref') ?? '';
  return [{ number, author, branch, mergeCommit: textAt(pull, 'merge_commit_sha'), mergedAt }];
}

function reviewOf(review: JsonObject): readonly Review[] {
  const reviewer = loginAt(review, 'user', 'login');
  const state = textAt(review, 'state') ?? '';
  if (reviewer === null || !opinions.has(state)) return [];
  return [{ reviewer, isApproval: state === 'APPROVED', time: timeAt(review, 'submitted_at') }];
}
