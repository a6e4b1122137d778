import {
  type CommitStatus,
  type ForgePort,
  pullRequestOfMessage,
  type PullRequestStorePort,
  type RevisionStorePort,
  type SyncEventsPort,
  type SyncOutcome,
} from '#git-sync';
import { AdapterError } from '#kernel';
import type { CommitReference } from '#ledger';
import type { CommitReviews } from './commit-reviews.ts';
import type { ForgeFailure, ForgeTasks } from './forge-tasks.ts';
import { statusOfOutcome } from './status-of-outcome.ts';

/** A source and, where it has one, its forge. */
export interface ObservedSource {
  readonly name: string;
  readonly ref: string;
  readonly forge?: ForgePort;
  /** Whether commits are given a status. */
  readonly writesStatus: boolean;
}

/** What an observer works with. */
export interface ForgeObserverOptions {
  readonly sources: readonly ObservedSource[];
  /** The controller's own, since several may watch one repository. */
  readonly cluster: string;
  readonly tasks: ForgeTasks;
  readonly revisions: Pick<RevisionStorePort, 'listRevisions'>;
  readonly pullRequests: PullRequestStorePort;
  readonly reviews: Pick<CommitReviews, 'record'>;
}

/** A commit's revision is among the newest of its source. */
const searchedRevisions = 20;

/** Forges need a moment to know which pull request a fresh merge came from: this many of their "none" are not believed. */
const unbelievedAnswers = 2;

/**
 * Watches what syncs come to: writes commit statuses back, and finds out who allowed each commit. It only listens, so
 * that no forge can stop a sync.
 */
export class ForgeObserver implements SyncEventsPort {
  readonly #options: ForgeObserverOptions;
  #sources: ReadonlyMap<string, ObservedSource>;
  /** The latest of each source, so that a look that finds nothing new asks nothing. */
  readonly #reported = new Map<string, string>();
  readonly #asked = new Map<string, string>();

  constructor(options: ForgeObserverOptions) {
    this.#options = options;
    this.#sources = new Map(options.sources.map((source) => [source.name, source]));
  }

  /** Writes to the forges of other sources from now on. */
  reconfigure(sources: readonly ObservedSource[]): void {
    this.#sources = new Map(sources.map((source) => [source.name, source]));
  }

  /** Why the forge of a source has not said who allowed a commit, as its latest failure has it; null: it did not fail. */
  whyUnanswered(name: string, commit: string): string | null {
    return this.#options.tasks.failureOf(keyOfQuestion(name, commit));
  }

  /** What forges that are still configured do not do for now, or for good. */
  get failing(): readonly ForgeFailure[] {
    return this.#options.tasks.failing.filter(({ source }) => this.#sources.get(source)?.forge !== undefined);
  }

  /** A commit is being judged; a commit that is judged again gets no second status. */
  readonly judging = (name: string, commit: string): void => {
    const isKnown = this.#reported.get(name)?.startsWith(`${commit} `) === true;
    if (!isKnown) this.#writeStatus(name, { commit, state: 'pending', description: 'being judged' });
  };

  /** A look at a source has ended. */
  readonly ended = (outcome: SyncOutcome): void => {
    const { source, commit, result } = outcome;
    if (commit === null) return;
    const status = statusOfOutcome(outcome);
    if (status !== null) this.#writeStatus(source, { commit: commit.hash, ...status });
    const isForNobody = result === 'rejected' && outcome.holds.length === 0;
    if (result !== 'failed' && !isForNobody) this.#askWhoAllowed(source, commit);
  };

  #writeStatus(name: string, status: Omit<CommitStatus, 'context'>): void {
    const source = this.#sources.get(name);
    if (source?.forge === undefined || !source.writesStatus) return;
    const { forge } = source;
    const reported = `${status.commit} ${status.state} ${status.description}`;
    if (this.#reported.get(name) === reported) return;
    this.#reported.set(name, reported);
    const context = `plimsoll/${this.#options.cluster}/${name}`;
    this.#options.tasks.put({
      key: `status ${name} ${status.commit}`,
      source: name,
      what: 'the commit status',
      run: () => forge.writeStatus({ ...status, context }),
    });
  }

  #askWhoAllowed(name: string, commit: CommitReference): void {
    const source = this.#sources.get(name);
    if (source === undefined || this.#asked.get(name) === commit.hash) return;
    this.#asked.set(name, commit.hash);
    this.#options.tasks.put({
      key: keyOfQuestion(name, commit.hash),
      source: name,
      what: 'who allowed a commit',
      run: (attempt) => this.#findWhoAllowed(source, commit, attempt),
      // Nobody approves it until the forge has answered, so the next look asks again.
      givenUp: () => this.#asked.delete(name),
    });
  }

  /** Kept first, then recorded: where only the first of them was done, the next start finds it, and records it. */
  async #findWhoAllowed(source: ObservedSource, commit: CommitReference, attempt: number): Promise<void> {
    const { pullRequests, reviews } = this.#options;
    const known = (await pullRequests.load([commit.hash])).get(commit.hash);
    if (known?.verified === true) {
      await reviews.record(source.name, commit, known);
      return;
    }
    if (known === undefined) await this.#keepMessage(source.name, commit.hash);
    if (source.forge === undefined) return;
    const found = await source.forge.loadPullRequest(commit.hash, source.ref.replace(/^refs\/heads\//, ''));
    if (found === null && attempt <= unbelievedAnswers) throw notYet();
    const answer = found ?? withoutPullRequest;
    await pullRequests.save(source.name, commit.hash, answer);
    await reviews.record(source.name, commit, answer);
  }

  /** What the message says, so that there is something while the forge does not answer. */
  async #keepMessage(source: string, commit: string): Promise<void> {
    const found = pullRequestOfMessage(await this.#messageOf(source, commit));
    if (found !== null) await this.#options.pullRequests.save(source, commit, found);
  }

  async #messageOf(source: string, commit: string): Promise<string> {
    const revisions = await this.#options.revisions.listRevisions(source, searchedRevisions);
    const message = revisions.find((revision) => revision.commit.hash === commit)?.details['message'];
    return typeof message === 'string' ? message : '';
  }
}

/** The task that asks who allowed a commit. */
function keyOfQuestion(source: string, commit: string): string {
  return `pull request ${source} ${commit}`;
}

/** The forge was asked, and knows of none. */
const withoutPullRequest = { number: null, author: null, approvers: [], verified: true } as const;

function notYet(): AdapterError {
  return new AdapterError({
    code: 'PullRequestUnknown',
    message: 'the forge knows no pull request of the commit yet',
    retryable: true,
  });
}
