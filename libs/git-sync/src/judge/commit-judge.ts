import { namespacedName } from '#kernel';
import type { EffectivePolicy } from '#policy';
import {
  type Admission,
  type AdmissionInput,
  admit,
  type DocumentCache,
  type HoldScope,
  identityKey,
  OverlayCache,
  PolicyDigests,
  PolicyFileCache,
  prepareAdmission,
  type RepositoryDocument,
  type ResolveCache,
  resultOf,
  wasBesideIn,
} from '#repository';
import { type ActiveFiles, loadActiveFiles } from '../activate/active-files.ts';
import type { HeldDocument } from '../activate/active-policy-set.ts';
import type { BrakedHolds, Brakes } from '../approve/brakes.ts';
import { settleHolds } from '../approve/settle-holds.ts';
import { ContentCache } from '../fetch/content-cache.ts';
import { type CommitReading, readCommit } from '../fetch/read-commit.ts';
import { inSlices } from '../in-slices.ts';
import type { CommitInfo, GitRepositoryPort } from '../ports/git.port.ts';
import type { SourceState, StoredDocument } from '../ports/revision-store.port.ts';
import { type JudgedRollback, judgeRollback } from '../roll-back/judge-rollback.ts';
import { documentsToRestore } from '../roll-back/plan-rollback.ts';
import { configurationRecord, type SourceConfiguration } from '../source-configuration.ts';
import type { SyncPorts } from '../sync-ports.ts';
import type { RevisionTimings } from './revision-details.ts';
import { type CommitSignature, configurationCauses, loadSourceCauses } from './source-causes.ts';

/** A commit, read, admitted and braked: what is to be activated. */
export interface JudgedCommit {
  readonly commit: CommitInfo;
  readonly admission: Admission;
  readonly braked: BrakedHolds;
  readonly brakes: Brakes;
  readonly otherKinds: Readonly<Record<string, number>>;
  /** Of the commits whose signature was checked. */
  readonly signatures: readonly CommitSignature[];
  readonly timings: RevisionTimings;
  /** The digest of what a scope comes to. */
  readonly resultOfScope: (scope: HoldScope) => string;
}

/** What a rollback is judged with. */
export interface RollbackRequest {
  /** What was in force with the revision. */
  readonly stored: readonly StoredDocument[];
  readonly brakes: Brakes;
  readonly commit: string;
  /** RFC 3339. */
  readonly time: string;
}

interface AdmissionParts {
  readonly request: JudgeRequest;
  readonly read: CommitReading;
  readonly inForce: readonly HeldDocument[];
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
  readonly #overlays = new OverlayCache();
  readonly #resolved: ResolveCache = new WeakMap();
  readonly #contents = new ContentCache();
  readonly #digests: PolicyDigests;

  constructor(
    configuration: SourceConfiguration,
    ports: Pick<SyncPorts, 'active' | 'clock' | 'digest' | 'parser' | 'presentReplicas'>,
  ) {
    this.#configuration = configuration;
    this.#ports = ports;
    this.#digests = new PolicyDigests(ports.digest);
  }

  /** Throws `AdapterError` where something cannot be loaded. */
  async judge(request: JudgeRequest): Promise<JudgedCommit> {
    const { repository, state, brakes, hash } = request;
    const began = this.#ports.clock.monotonicMilliseconds();
    const commit = await repository.loadCommit(hash);
    const released = new Set(brakes.released.map(({ policy }) => policy));
    const inForce = this.#ports.active
      .documentsOf(this.#configuration.location.source)
      .filter(({ source }) => source.role !== 'Policy' || !released.has(identityKey(source)));
    const configuration = configurationRecord(this.#configuration);
    const fromGit = await loadSourceCauses({
      repository,
      state,
      brakes,
      commit: hash,
      verify: this.#configuration.verify,
      url: this.#configuration.location.url,
    });
    const verified = this.#ports.clock.monotonicMilliseconds();
    const read = await this.#read(repository, hash, inForce);
    const parsed = this.#ports.clock.monotonicMilliseconds();
    const input = await this.#admissionInput({ request, read, inForce });
    await inSlices(prepareAdmission(input), this.#ports.clock);
    const admission = admit(input);
    const present = await this.#presentReplicas(admission, inForce);
    const causes = configurationCauses(state, configuration, leaving(admission, inForce));
    const { admission: settled, braked } = await settleHolds({
      input,
      clock: this.#ports.clock,
      first: admission,
      brakes,
      moment: { commit: hash, time: this.#ports.clock.now(), digest: this.#ports.digest },
      holdInput: {
        inForce,
        sourceCauses: [...fromGit.causes, ...causes],
        isFirstActivation: state.commit === null,
        blastRadius: this.#configuration.blastRadius,
        presentReplicas: (policy) => present.get(namespacedName(policy)),
        digests: this.#digests,
      },
    });
    const final = { tenants: settled.tenants, digests: this.#digests };
    return {
      commit,
      admission: settled,
      braked,
      brakes,
      otherKinds: read.reading.otherKinds,
      signatures: fromGit.signatures,
      timings: {
        verifyMilliseconds: Math.round(verified - began),
        readMilliseconds: Math.round(parsed - verified),
        admitMilliseconds: Math.round(this.#ports.clock.monotonicMilliseconds() - parsed),
      },
      resultOfScope: (scope) => resultOf(final, scope),
    };
  }

  /** Loads what a rollback is judged with; the answer judges it, against what is in force when it is called. */
  async rollback(request: RollbackRequest): Promise<() => JudgedRollback> {
    const { source } = this.#configuration.location;
    const { active, presentReplicas, digest } = this.#ports;
    const { stored, brakes, commit, time } = request;
    const released = new Set(brakes.released.map(({ policy }) => policy));
    const inForce = active.documentsOf(source);
    const wanted = documentsToRestore(stored, { inForce, released, time });
    const known = new Set(inForce);
    const changed = wanted.filter((held) => !known.has(held)).flatMap(({ policy }) => policy ?? []);
    const present = changed.length === 0 ? new Map<string, number>() : await presentReplicas(changed);
    return () =>
      judgeRollback({
        wanted,
        inForce: active.documentsOf(source),
        foreign: active.foreignTo(source),
        brakes,
        moment: { commit, time, digest },
        digests: this.#digests,
        presentReplicas: (policy) => present.get(namespacedName(policy)),
      });
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
        overlays: this.#overlays,
        contents: this.#contents,
        filesInForce,
        parser: this.#ports.parser,
        clock: this.#ports.clock,
      },
      hash,
    );
  }

  async #admissionInput(parts: AdmissionParts): Promise<AdmissionInput> {
    const { request, read, inForce } = parts;
    const { repository: options, read: context, location } = this.#configuration;
    const activeFiles = await loadActiveFiles(request.repository, request.state);
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
      // Where the active revision is not on disk every file counts as changed.
      isChanged: ({ path, blob, tenant }) => activeFiles(tenant)?.get(path) !== blob,
      wasBeside: await this.#loadNeighbours(parts, activeFiles),
      mayHold: (file, document) => mayHold(read.content(file.path), document),
    };
  }

  /** Reads files as they were, where something else of its name stands in the place of a document in force. */
  async #loadNeighbours(
    { request, read: { reading }, inForce }: AdmissionParts,
    activeFiles: ActiveFiles,
  ): Promise<AdmissionInput['wasBeside']> {
    const taken = new Set(reading.documents.map(identityKey));
    const candidates = new Set(
      [...reading.others, ...reading.documents].map(({ file, name }) => `${file} ${name}`),
    );
    const blobs = new Map<string, string>();
    for (const { source } of inForce) {
      if (taken.has(identityKey(source)) || !candidates.has(`${source.file} ${source.name}`)) continue;
      const blob = activeFiles(source.tenant)?.get(source.file);
      if (blob !== undefined) blobs.set(source.file, blob);
    }
    if (blobs.size === 0) return () => false;
    const { fetchLimits, repository: options } = this.#configuration;
    const limits = { ...fetchLimits, blobBytes: options.limits.fileBytes };
    const contents = await request.repository.loadBlobs([...new Set(blobs.values())], limits);
    return wasBesideIn((file) => {
      const content = contents.get(blobs.get(file) ?? '');
      return content?.kind === 'Bytes' ? content.bytes : undefined;
    });
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
    admission.tenants.flatMap(({ policies }) => policies.map(({ policy }) => namespacedName(policy))),
  );
  return inForce.flatMap(({ policy }) =>
    policy === undefined || staying.has(namespacedName(policy)) ? [] : [namespacedName(policy)],
  );
}

const decoder = new TextDecoder('latin1');

function mayHold(bytes: Uint8Array | undefined, document: RepositoryDocument): boolean {
  if (bytes === undefined) return true;
  const text = decoder.decode(bytes);
  return text.includes(document.kind) && text.includes(document.name);
}
