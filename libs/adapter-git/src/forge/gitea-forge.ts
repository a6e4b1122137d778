import { isJsonObject, type JsonObject } from '#kernel';
import type { CommitStatus, ForgePort, PullRequest } from '#reconciliation';

import {
  approversOf,
  type MergedPullRequest,
  numberAt,
  objectsOf,
  type Review,
  textAt,
  timeAt,
} from './forge-answer.ts';
import type { ForgeHttp } from './forge-http.ts';

/** Gitea has no bound of its own; its pages show about this much. */
const maximumDescriptionCharacters = 255;

/** A hundred and fifty reviews of one pull request: more is not asked for. */
const maximumReviewPages = 3;
const pageSize = 50;

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
    const reviews = await this.#loadReviews(pull.number);
    return {
      number: pull.number,
      author: pull.author,
      approvers: approversOf(reviews, pull),
      verified: true,
    };
  };

  readonly writeStatus = async ({ commit, state, context, description }: CommitStatus): Promise<void> => {
    await this.#http.request({
      path: `${this.#repository}/statuses/${commit}`,
      body: { state, context, description: description.slice(0, maximumDescriptionCharacters) },
    });
  };

  async #loadReviews(number: number): Promise<readonly Review[]> {
    const reviews: Review[] = [];
    for (let page = 1; page <= maximumReviewPages; page += 1) {
      const path = `${this.#repository}/pulls/${number}/reviews?limit=${pageSize}&page=${page}`;
      const items = objectsOf(await this.#http.request({ path }));
      reviews.push(...items.flatMap(reviewOf));
      if (items.length < pageSize) break;
    }
    return reviews;
  }
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
