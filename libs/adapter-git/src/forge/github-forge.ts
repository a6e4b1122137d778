import type { JsonObject } from '#kernel';
import type { CommitStatus, ForgePort, PullRequest } from '#reconciliation';

import {
  approversOf,
  chosenPullRequest,
  cutTo,
  type MergedPullRequest,
  numberAt,
  objectsOf,
  type Review,
  textAt,
  timeAt,
} from './forge-answer.ts';
import type { ForgeHttp } from './forge-http.ts';

/** GitHub refuses a longer description. */
const maximumDescriptionCharacters = 140;

/** Beyond a thousand reviews nobody can say whose last word was yes. */
const maximumReviewPages = 10;

/** States of a review that are an opinion; a comment does not change the one before. */
const opinions = new Set(['APPROVED', 'CHANGES_REQUESTED', 'DISMISSED']);

/** @see https://docs.github.com/en/rest/commits/statuses */
export class GitHubForge implements ForgePort {
  readonly #http: ForgeHttp;
  readonly #repository: string;

  /** `repository` is `owner/name`. */
  constructor(http: ForgeHttp, repository: string) {
    this.#http = http;
    this.#repository = `/repos/${repository.split('/').map(encodeURIComponent).join('/')}`;
  }

  readonly loadPullRequest = async (commit: string, branch: string): Promise<PullRequest | null> => {
    const answer = await this.#http.request({
      path: `${this.#repository}/commits/${commit}/pulls?per_page=100`,
    });
    const pull = chosenPullRequest(objectsOf(answer).flatMap(mergedOf), commit, branch);
    if (pull === null) return null;
    const path = `${this.#repository}/pulls/${pull.number}/reviews?per_page=100`;
    const reviews = await this.#http.requestPages({ path, maximumPages: maximumReviewPages });
    return {
      number: pull.number,
      author: pull.author,
      approvers: approversOf(reviews.flatMap(reviewOf), pull),
      verified: true,
    };
  };

  readonly writeStatus = async ({ commit, state, context, description }: CommitStatus): Promise<void> => {
    await this.#http.request({
      path: `${this.#repository}/statuses/${commit}`,
      body: { state, context, description: cutTo(description, maximumDescriptionCharacters) },
    });
  };
}

function mergedOf(pull: JsonObject): readonly MergedPullRequest[] {
  const number = numberAt(pull, 'number');
  const mergedAt = timeAt(pull, 'merged_at');
  if (number === null || mergedAt === null) return [];
  const author = textAt(pull, 'user', 'login');
  const branch = textAt(pull, 'base', 'ref') ?? '';
  return [{ number, author, branch, mergeCommit: textAt(pull, 'merge_commit_sha'), mergedAt }];
}

function reviewOf(review: JsonObject): readonly Review[] {
  const reviewer = textAt(review, 'user', 'login');
  const state = textAt(review, 'state') ?? '';
  if (reviewer === null || !opinions.has(state)) return [];
  return [{ reviewer, isApproval: state === 'APPROVED', time: timeAt(review, 'submitted_at') }];
}
