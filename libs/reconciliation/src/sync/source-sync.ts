import { AdapterError, canonicalJson } from '#kernel';
import {
  admit,
  type Admission,
  type FileVerdict,
  PolicyFileCache,
  type RepositoryDocument,
  type TenantDiagnostic,
} from '#policy';

import type { CommitReference } from '../model/active-policy.ts';
import type { ClockPort } from '../ports/clock.port.ts';
import { type ActivePolicySet, type HeldDocument, restoreDocument } from './active-policy-set.ts';
import { planActivation } from './plan-activation.ts';
import type { CommitInfo, GitPort, GitRepositoryPort } from './ports/git.port.ts';
import type { RevisionStorePort, SourceState } from './ports/revision-store.port.ts';
import type { SyncJournalPort } from './ports/sync-journal.port.ts';
import { type CommitReading, readCommit } from './read-commit.ts';
import { configurationRecord, type SourceConfiguration } from './source-configuration.ts';

/** What a look at a source came to. */
export interface SyncOutcome {
  readonly source: string;
  /** `unchanged`: the commit was judged before, and nothing that matters has changed since. */
  readonly result: 'active' | 'held' | 'rejected' | 'failed' | 'unchanged';
  readonly commit: CommitReference | null;
  readonly message: string;
  readonly diagnostics: readonly TenantDiagnostic[];
}

/** What a source is synced with. */
export interface SyncPorts {
  readonly git: GitPort;
  readonly store: RevisionStorePort;
  readonly journal: SyncJournalPort;
  readonly clock: ClockPort;
  readonly active: ActivePolicySet;
}

/** One source: from its commits to the policies in force. One sync at a time. */
export class SourceSync {
  readonly #ports: SyncPorts;
  readonly #configuration: SourceConfiguration;
  readonly #cache = new PolicyFileCache();
  #repository: GitRepositoryPort | undefined;
  #state: SourceState;
  #lastFailure = '';
  #running: Promise<SyncOutcome> | undefined;

  constructor(configuration: SourceConfiguration, ports: SyncPorts) {
    this.#ports = ports;
    this.#configuration = configuration;
    this.#state = emptyState(configuration);
  }

  get source(): string {
    return this.#configuration.location.source;
  }

  /** Puts in force again what was in force, from SQL alone: a dead Git server does not stop a start. */
  async restore(): Promise<void> {
    const { store, active } = this.#ports;
    const state = (await store.listSources()).find(({ source }) => source === this.source);
    if (state === undefined) return;
    this.#state = state;
    const documents = await store.loadInForce(this.source);
    active.replace(this.source, documents.map(restoreDocument));
  }

  /** Looks at the source now. Never throws: what fails is an outcome, and what is in force stays. */
  sync(): Promise<SyncOutcome> {
    this.#running ??= this.#sync().finally(() => (this.#running = undefined));
    return this.#running;
  }

  async #sync(): Promise<SyncOutcome> {
    try {
      const outcome = await this.#fetchAndJudge();
      this.#lastFailure = '';
      return outcome;
    } catch (error) {
      return this.#fail(error);
    }
  }

  async #fetchAndJudge(): Promise<SyncOutcome> {
    const fetchedAt = this.#ports.clock.now();
    this.#repository ??= await this.#ports.git.open(this.#configuration.location);
    const repository = this.#repository;
    const hash = await repository.fetchHead(this.#configuration.fetchLimits);
    if (this.#isJudged(hash)) return this.#unchanged();
    const commit = await repository.loadCommit(hash);
    const inForce = this.#ports.active.documentsOf(this.source);
    const read = await readCommit(
      {
        repository,
        configuration: this.#configuration,
        cache: this.#cache,
        filesInForce: new Set(inForce.map(({ source }) => source.file)),
      },
      hash,
    );
    const admission = await this.#admit(repository, read, inForce);
    return this.#activate({ admission, commit, fetchedAt, read });
  }

  /** A commit that came in force whole needs no second look, unless its configuration or another source changed. */
  #isJudged(hash: string): boolean {
    const { judged, configuration } = this.#state;
    const isSameConfiguration =
      canonicalJson(configuration) === canonicalJson(configurationRecord(this.#configuration));
    return isSameConfiguration && judged?.commit === hash && judged.outcome === 'active';
  }

  #unchanged(): SyncOutcome {
    const { commit } = this.#state;
    return { source: this.source, result: 'unchanged', commit, message: 'nothing is new', diagnostics: [] };
  }

  async #admit(
    repository: GitRepositoryPort,
    read: CommitReading,
    inForce: readonly HeldDocument[],
  ): Promise<Admission> {
    const isChanged = await this.#changes(repository);
    return admit({
      reading: read.reading,
      inForce: { documents: inForce, wasActivated: this.#state.commit !== null },
      options: this.#configuration.repository,
      context: {
        read: this.#configuration.read,
        tenant: (name) => this.#configuration.repository.tenants.find((tenant) => tenant.name === name),
      },
      foreign: this.#ports.active.foreignTo(this.source),
      heldBack: new Set(),
      missing: read.missing,
      isChanged,
      mayHold: (file, document) => mayHold(read.content(file.path), document),
    });
  }

  /** Compares each file with its tenant's active revision; where that is not on disk every file counts as changed. */
  async #changes(repository: GitRepositoryPort): Promise<(file: FileVerdict) => boolean> {
    const blobs = new Map<string, ReadonlyMap<string, string>>();
    for (const commit of new Set(Object.values(this.#state.tenants))) {
      if (!(await repository.hasCommit(commit))) continue;
      const tree = await repository.loadTree(commit, Number.MAX_SAFE_INTEGER);
      blobs.set(commit, new Map(tree.map(({ path, id }) => [path, id])));
    }
    return ({ path, blob, tenant }) => {
      const commit = this.#state.tenants[tenant];
      return commit === undefined || blobs.get(commit)?.get(path) !== blob;
    };
  }

  async #activate(judged: {
    readonly admission: Admission;
    readonly commit: CommitInfo;
    readonly fetchedAt: string;
    readonly read: CommitReading;
  }): Promise<SyncOutcome> {
    const { store, journal, clock, active } = this.#ports;
    const plan = planActivation({
      ...judged,
      time: clock.now(),
      state: this.#state,
      inForce: active.documentsOf(this.source),
      configuration: configurationRecord(this.#configuration),
      otherKinds: judged.read.reading.otherKinds,
    });
    if (plan.isActivating) await this.#repository?.keep('active', judged.commit.hash);
    await store.save({ ...plan.change, revision: plan.isRepetition ? null : plan.change.revision });
    this.#state = plan.change.state;
    if (plan.isActivating) active.replace(this.source, plan.documents);
    if (!plan.isRepetition || plan.isActivating) await journal.append(plan.run, plan.changes);
    const { outcome, message, commit } = plan.run;
    const { diagnostics } = judged.admission;
    const result = plan.isRepetition && !plan.isActivating ? 'unchanged' : outcomeOf(outcome);
    return { source: this.source, result, commit, message, diagnostics };
  }

  /** The same failure again is not recorded again: a Git server that is down for a day is one entry. */
  async #fail(error: unknown): Promise<SyncOutcome> {
    const message = error instanceof Error ? error.message : 'the sync failed';
    const code = error instanceof AdapterError ? error.code : 'Bug';
    const { commit } = this.#state;
    const outcome: SyncOutcome = {
      source: this.source,
      result: 'failed',
      commit,
      message: `${code}: ${message}`,
      diagnostics: [],
    };
    if (this.#lastFailure === outcome.message) return outcome;
    this.#lastFailure = outcome.message;
    await this.#ports.journal
      .append(
        { source: this.source, outcome: 'failed', message: outcome.message, commit, diagnostics: [] },
        [],
      )
      .catch(() => undefined);
    return outcome;
  }
}

function outcomeOf(outcome: string): SyncOutcome['result'] {
  if (outcome === 'active' || outcome === 'held') return outcome;
  return 'rejected';
}

function emptyState(configuration: SourceConfiguration): SourceState {
  return {
    source: configuration.location.source,
    configuration: {},
    commit: null,
    tenants: {},
    judged: null,
    brakes: {},
  };
}

const decoder = new TextDecoder('latin1');

function mayHold(bytes: Uint8Array | undefined, document: RepositoryDocument): boolean {
  if (bytes === undefined) return true;
  const text = decoder.decode(bytes);
  return text.includes(document.kind) && text.includes(document.name);
}
