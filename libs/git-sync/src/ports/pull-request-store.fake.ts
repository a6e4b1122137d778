import type { PullRequest, PullRequestStorePort } from './forge.port.ts';

/** Who allowed each commit, in memory. */
export class FakePullRequestStore implements PullRequestStorePort {
  readonly records = new Map<string, PullRequest>();

  readonly load = (commits: readonly string[]): Promise<ReadonlyMap<string, PullRequest>> =>
    Promise.resolve(
      new Map(
        commits.flatMap((commit) => {
          const record = this.records.get(commit);
          return record === undefined ? [] : [[commit, record] as const];
        }),
      ),
    );

  readonly save = (_source: string, commit: string, pullRequest: PullRequest): Promise<void> => {
    const isKept = this.records.get(commit)?.verified === true && !pullRequest.verified;
    if (!isKept) this.records.set(commit, pullRequest);
    return Promise.resolve();
  };
}
