import type { CommitStatus, PullRequest } from '#git-sync';
import type { AdapterError, Json, JsonObject } from '#kernel';
import { approversOf, cutTo, type MergedPullRequest, notShown, type Review, textAt } from './forge-answer.ts';
import type { ForgeHttp } from './forge-http.ts';

/** How a forge pages the reviews of a pull request, and what each of them says. */
export interface ReviewPages {
  readonly pageSize: string;
  readonly maximumPages: number;
  readonly reviewOf: (review: JsonObject) => readonly Review[];
}

/**
 * What GitHub's API and Gitea's have in common: one repository under `/repos/owner/name`.
 *
 * @throws AdapterError
 */
export class RepositoryApi {
  readonly #http: ForgeHttp;
  readonly #path: string;
  readonly #repository: string;

  /** `repository` is `owner/name`. */
  constructor(http: ForgeHttp, repository: string) {
    this.#http = http;
    this.#repository = repository;
    this.#path = `/repos/${repository.split('/').map(encodeURIComponent).join('/')}`;
  }

  /** `path` is below the repository's; undefined: the forge knows nothing of it. */
  request(path: string): Promise<Json | undefined> {
    return this.#http.request({ path: `${this.#path}${path}` });
  }

  /** The error that says that the token is not shown what is asked for. */
  notShown(what: string): AdapterError {
    return notShown(`${what} of ${this.#repository}`);
  }

  /** Whether a pull request is one of this repository: those of a fork have the same commits. */
  has(pull: JsonObject): boolean {
    const name = textAt(pull, 'base', 'repo', 'full_name');
    return name === null || name.toLowerCase() === this.#repository.toLowerCase();
  }

  /** A pull request with its approvers; none where there are more pages than are read. */
  async withApprovers(pull: MergedPullRequest, pages: ReviewPages): Promise<PullRequest> {
    const { pageSize, maximumPages, reviewOf } = pages;
    const path = `${this.#path}/pulls/${pull.number}/reviews?${pageSize}`;
    const what = `reviews of the pull request ${pull.number}`;
    const reviews = await this.#http.requestPages({ what, path, maximumPages });
    const approvers = approversOf(reviews.flatMap(reviewOf), pull);
    return { number: pull.number, author: pull.author, approvers, verified: true };
  }

  /** `maximumCharacters` is how much of the description the forge takes. */
  async writeStatus(status: CommitStatus, maximumCharacters: number): Promise<void> {
    const { commit, state, context, description } = status;
    const body = { state, context, description: cutTo(description, maximumCharacters) };
    await this.#http.request({ path: `${this.#path}/statuses/${commit}`, body });
  }
}
