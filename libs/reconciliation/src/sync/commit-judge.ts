import {
  admit,
  type Admission,
  type AdmissionInput,
  type DocumentCache,
  type EffectivePolicy,
  type FileVerdict,
  findHolds,
  PolicyFileCache,
  type RepositoryDocument,
  type ResolveCache,
} from '#policy';

import type { HeldDocument } from './active-policy-set.ts';
import { brake, type BrakedHolds, type Brakes } from './brakes.ts';
import { ContentCache } from './content-cache.ts';
import type { CommitInfo, GitRepositoryPort } from './ports/git.port.ts';
import type { SourceState } from './ports/revision-store.port.ts';
import { type CommitReading, readCommit } from './read-commit.ts';
import { configurationCauses, loadSourceCauses } from './source-causes.ts';
import { configurationRecord, type SourceConfiguration } from './source-configuration.ts';
import type { SyncPorts } from './sync-ports.ts';

/** A commit, read, admitted and braked: what is to be activated. */
export interface JudgedCommit {
  readonly commit: CommitInfo;
  readonly admission: Admission;
  readonly braked: BrakedHolds;
  readonly brakes: Brakes;
  readonly otherKinds: Readonly<Record<string, number>>;
}

/** What a commit is judged against. */
export interface JudgeRequest {
  readonly repository: GitRepositoryPort;
  readonly state: SourceState;
  readonly brakes: Brakes;
  readonly hash: string;
}

/** Judges the commits of one source; keeps what it read between them. */
export class CommitJudge {
  readonly #configuration: SourceConfiguration;
  readonly #ports: Pick<SyncPorts, 'active' | 'clock' | 'digest' | 'parser' | 'presentReplicas'>;
  readonly #files = new PolicyFileCache();
  readonly #documents: DocumentCache<RepositoryDocument> = new WeakMap();
  readonly #resolved: ResolveCache = new WeakMap();
  readonly #contents = new ContentCache();

  constructor(
    configuration: SourceConfiguration,
    ports: Pick<SyncPorts, 'active' | 'clock' | 'digest' | 'parser' | 'presentReplicas'>,
  ) {
    this.#configuration = configuration;
    this.#ports = ports;
  }

  /** Throws `AdapterError` where something cannot be loaded. */
  async judge(request: JudgeRequest): Promise<JudgedCommit> {
    const { repository, state, brakes, hash } = request;
    const commit = await repository.loadCommit(hash);
    const inForce = this.#ports.active.documentsOf(this.#configuration.location.source);
    const fromGit = await loadSourceCauses({
      repository,
      state,
      brakes,
      commit: hash,
      verify: this.#configuration.verify,
    });
    const read = await this.#read(repository, hash, inForce);
    const input = await this.#admissionInput({ request, read, inForce });
    const admission = admit(input);
    const present = await this.#presentReplicas(admission, inForce);
    const proposed = findHolds({
      admission,
      inForce,
      sourceCauses: [
        ...fromGit,
        ...configurationCauses(state, configurationRecord(this.#configuration), leaving(admission, inForce)),
      ],
      isFirstActivation: state.commit === null,
      blastRadius: this.#configuration.blastRadius,
      presentReplicas: ({ namespace, name }) => present.get(`${namespace}/${name}`),
    });
    const { clock, digest } = this.#ports;
    const braked = brake(brakes, proposed, { commit: hash, time: clock.now(), digest });
    const heldBack = braked.isSourceHeld
      ? new Set(admission.tenants.map(({ tenant }) => tenant))
      : braked.heldTenants;
    return {
      commit,
      admission: heldBack.size === 0 ? admission : admit({ ...input, heldBack }),
      braked,
      brakes,
      otherKinds: read.reading.otherKinds,
    };
  }

  #read(
    repository: GitRepositoryPort,
    hash: string,
    inForce: readonly HeldDocument[],
  ): Promise<CommitReading> {
    const filesInForce = new Set(inForce.map(({ source }) => source.file));
    return readCommit(
      {
        repository,
        configuration: this.#configuration,
        files: this.#files,
        documents: this.#documents,
        contents: this.#contents,
        filesInForce,
        parser: this.#ports.parser,
        clock: this.#ports.clock,
      },
      hash,
    );
  }

  async #admissionInput(parts: {
    readonly request: JudgeRequest;
    readonly read: CommitReading;
    readonly inForce: readonly HeldDocument[];
  }): Promise<AdmissionInput> {
    const { request, read, inForce } = parts;
    const { repository: options, read: context, location } = this.#configuration;
    const tenants = new Map(options.tenants.map((tenant) => [tenant.name, tenant]));
    return {
      reading: read.reading,
      inForce: { documents: inForce, wasActivated: request.state.commit !== null },
      options,
      context: { read: context, tenant: (name) => tenants.get(name), known: this.#resolved },
      foreign: this.#ports.active.foreignTo(location.source),
      heldBack: new Set(),
      released: new Set(request.brakes.released.map(({ policy }) => policy)),
      missing: read.missing,
      isChanged: await loadChanges(request),
      mayHold: (file, document) => mayHold(read.content(file.path), document),
    };
  }

  /** Asked only for policies that are new or differ: the others cannot shrink anything. */
  #presentReplicas(
    admission: Admission,
    inForce: readonly HeldDocument[],
  ): Promise<ReadonlyMap<string, number>> {
    const unchanged = new Set<EffectivePolicy | undefined>(inForce.map(({ policy }) => policy));
    const changed = admission.tenants
      .flatMap(({ policies }) => policies.map(({ policy }) => policy))
      .filter((policy) => !unchanged.has(policy));
    return changed.length === 0 ? Promise.resolve(new Map()) : this.#ports.presentReplicas(changed);
  }
}

function leaving(admission: Admission, inForce: readonly HeldDocument[]): readonly string[] {
  const staying = new Set(
    admission.tenants.flatMap(({ policies }) =>
      policies.map(({ policy }) => `${policy.namespace}/${policy.name}`),
    ),
  );
  return inForce.flatMap(({ policy }) =>
    policy === undefined || staying.has(`${policy.namespace}/${policy.name}`)
      ? []
      : [`${policy.namespace}/${policy.name}`],
  );
}

/** Compares each file with its tenant's active revision; where that is not on disk every file counts as changed. */
async function loadChanges({ repository, state }: JudgeRequest): Promise<(file: FileVerdict) => boolean> {
  const blobs = new Map<string, ReadonlyMap<string, string>>();
  for (const commit of new Set(Object.values(state.tenants))) {
    if (!(await repository.hasCommit(commit))) continue;
    const tree = await repository.loadTree(commit, Number.MAX_SAFE_INTEGER);
    blobs.set(commit, new Map(tree.map(({ path, id }) => [path, id])));
  }
  return ({ path, blob, tenant }) => {
    const commit = state.tenants[tenant];
    return commit === undefined || blobs.get(commit)?.get(path) !== blob;
  };
}

const decoder = new TextDecoder('latin1');

function mayHold(bytes: Uint8Array | undefined, document: RepositoryDocument): boolean {
  if (bytes === undefined) return true;
  const text = decoder.decode(bytes);
  return text.includes(document.kind) && text.includes(document.name);
}
