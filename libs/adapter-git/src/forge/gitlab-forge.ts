import type { CommitStatus, ForgePort, PullRequest } from '#git-sync';
import { AdapterError, type Json, type JsonObject } from '#kernel';
import {
  approversOf,
  chosenPullRequest,
  cutTo,
  loginAt,
  type MergedPullRequest,
  notShown,
  numberAt,
  objectOf,
  objectsOf,
  type Review,
  textAt,
  timeAt,
} from './forge-answer.ts';
import type { ForgeHttp } from './forge-http.ts';

/** GitLab keeps this many characters of a description. */
const maximumDescriptionCharacters = 255;

/** GitLab's own word for it. */
const states = { pending: 'pending', success: 'success', failure: 'failed' } as const;

/** @see https://docs.gitlab.com/api/commits/ and https://docs.gitlab.com/api/merge_request_approvals/ */
export class GitLabForge implements ForgePort {
  readonly #http: ForgeHttp;
  readonly #project: string;
  readonly #repository: string;

  /** `repository` is the project's whole path. */
  constructor(http: ForgeHttp, repository: string) {
    this.#http = http;
    this.#repository = repository;
    this.#project = `/projects/${encodeURIComponent(repository)}`;
  }

  readonly loadPullRequest = async (commit: string, branch: string): Promise<PullRequest | null> => {
    const answer = await this.#http.request({
      path: `${this.#project}/repository/commits/${commit}/merge_requests?state=merged&per_page=100`,
    });
    // Of a commit that no merge request brought the list is empty.
    if (answer === undefined) throw notShown(`commit ${commit} of ${this.#repository}`);
    const request = chosenPullRequest(objectsOf(answer).flatMap(mergedOf), commit, branch);
    if (request === null) return null;
    const approvals = await this.#http.request({
      path: `${this.#project}/merge_requests/${request.number}/approvals`,
    });
    const approvers = approversOf(reviewsOf(approvals), request);
    return { number: request.number, author: request.author, approvers, verified: true };
  };

  readonly writeStatus = async ({ commit, state, context, description }: CommitStatus): Promise<void> => {
    try {
      await this.#http.request({
        path: `${this.#project}/statuses/${commit}`,
        body: {
          state: states[state],
          name: context,
          description: cutTo(description, maximumDescriptionCharacters),
        },
      });
    } catch (error) {
      if (!(error instanceof AdapterError) || error.cause !== 'StateRepeated') throw error;
    }
  };
}

function mergedOf(request: JsonObject): readonly MergedPullRequest[] {
  const number = numberAt(request, 'iid');
  if (textAt(request, 'state') !== 'merged') return [];
  const mergeCommit = textAt(request, 'merge_commit_sha') ?? textAt(request, 'squash_commit_sha');
  const author = loginAt(request, 'author', 'username');
  const branch = textAt(request, 'target_branch') ?? '';
  return [{ number, author, branch, mergeCommit, mergedAt: timeAt(request, 'merged_at') }];
}

/** Older versions give no time of an approval, and some editions have none at all. */
function reviewsOf(approvals: Json | undefined): readonly Review[] {
  if (approvals === undefined) return [];
  return objectsOf(objectOf(approvals)['approved_by']).flatMap((approval) => {
    const reviewer = loginAt(approval, 'user', 'username');
    return reviewer === null ? [] : [{ reviewer, isApproval: true, time: timeAt(approval, 'approved_at') }];
  });
}
