import { isJsonObject, type JsonObject } from '#kernel';
import type { CommitStatus, ForgePort, PullRequest } from '#reconciliation';

import {
  approversOf,
  cutTo,
  type MergedPullRequest,
  numberAt,
  type Review,
  textAt,
  timeAt,
} from './forge-answer.ts';
import type { ForgeHttp } from './forge-http.ts';

/** Gitea has no bound of its own; its pages show about this much. */
const maximumDescriptionCharacters = 255;

/** Beyond a thousand reviews nobody can say whose last word was yes. */
const maximumReviewPages = 20;

/** States of a review that are an opinion. */
const opinions = new Set(['APPROVED', 'REQUEST_CHANGES']);

/** Gitea and Forgejo. @see https://docs.gitea.com/api */
export class GiteaForge implements ForgePort {
  readonly #http: ForgeHttp;
  readonly #repository: string;

  /** `repository` is `owner/name`. */
  constructor(http: ForgeHttp, repository: string) {
    this.#http = http;
    this.#repository = `/repos/${repository.split('/').map(encodeURIComponent).join('/')}`;
  }

  readonly loadPullRequest = async (commit: string): Promise<PullRequest | null> => {
    const answer = await this.#http.request({ path: `${this.#repository}/commits/${commit}/pull` });
    const pull = isJsonObject(answer) ? mergedOf(answer) : null;
    if (pull === null) return null;
    const path = `${this.#repository}/pulls/${pull.number}/reviews?limit=50`;
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

function mergedOf(pull: JsonObject): MergedPullRequest | null {
  const number = numberAt(pull, 'number');
  if (number === null || pull['merged'] !== true) return null;
  const author = textAt(pull, 'user', 'login');
  const mergeCommit = textAt(pull, 'merge_commit_sha');
  const branch = textAt(pull, 'base', 'ref') ?? '';
  return { number, author, branch, mergeCommit, mergedAt: timeAt(pull, 'merged_at') };
}

function reviewOf(review: JsonObject): readonly Review[] {
  const reviewer = textAt(review, 'user', 'login');
  const state = textAt(review, 'state') ?? '';
  if (reviewer === null || !opinions.has(state)) return [];
  const isApproval = state === 'APPROVED' && review['dismissed'] !== true;
  return [{ reviewer, isApproval, time: timeAt(review, 'submitted_at') }];
}
