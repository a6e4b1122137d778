import type { PullRequest, PullRequestStorePort } from '#git-sync';
import { type FenceLookup, sourceScope } from '#ledger';
import type { SqlDatabase } from '../connection/sql-database.ts';
import { jsonIn, textOf } from '../statements/rows.ts';
import { writeFenced } from '../statements/write-fenced.ts';

/** Commits per query: a page of the API. */
const maximumCommits = 100;

/** The pull requests of commits, in a SQL database. */
export class SqlPullRequestStore implements PullRequestStorePort {
  readonly #database: SqlDatabase;
  readonly #fences: FenceLookup;

  /** @param fences of the sources whose commits are saved. */
  constructor(database: SqlDatabase, fences: FenceLookup) {
    this.#database = database;
    this.#fences = fences;
  }

  readonly load = async (commits: readonly string[]): Promise<ReadonlyMap<string, PullRequest>> => {
    const wanted = [...new Set(commits)].slice(0, maximumCommits);
    if (wanted.length === 0) return new Map();
    const rows = await this.#database.query({
      sql: `SELECT commit_hash, record FROM commit_approval
        WHERE commit_hash IN (${wanted.map(() => '?').join(', ')})`,
      parameters: wanted,
    });
    return new Map(rows.map((row) => [textOf(row, 'commit_hash'), jsonIn(row, 'record') as PullRequest]));
  };

  readonly save = async (source: string, commit: string, pullRequest: PullRequest): Promise<void> => {
    const fence = this.#fences.of(sourceScope(source));
    const { number, author, approvers, verified } = pullRequest;
    await writeFenced(
      this.#database,
      [fence],
      [
        {
          sql: `INSERT INTO commit_approval (commit_hash, verified, record) VALUES (?, ?, ?)
          ON CONFLICT (commit_hash) DO UPDATE SET verified = excluded.verified, record = excluded.record
          WHERE excluded.verified >= commit_approval.verified`,
          parameters: [commit, verified ? 1n : 0n, JSON.stringify({ number, author, approvers, verified })],
        },
      ],
    );
  };
}
