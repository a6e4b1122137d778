import {
  admit,
  type Admission,
  type AdmissionInput,
  type DocumentCache,
  type EffectivePolicy,
  findHolds,
  type HoldInput,
  type HoldScope,
  identityKey,
  PolicyDigests,
  PolicyFileCache,
  type ProposedHold,
  type RepositoryDocument,
  type ResolveCache,
  resultOf,
  wasBesideIn,
} from '#policy';

import type { HeldDocument } from './active-policy-set.ts';
import { brake, type BrakedHolds, type Brakes } from './brakes.ts';
import { ContentCache } from './content-cache.ts';
import type { CommitInfo, GitRepositoryPort } from './ports/git.port.ts';
import { type JudgedRollback, judgeRollback } from './judge-rollback.ts';
import { documentsToRestore } from './plan-rollback.ts';
import type { SourceState, StoredDocument } from './ports/revision-store.port.ts';
import { type CommitReading, readCommit } from './read-commit.ts';
import { type CommitSignature, configurationCauses, loadSourceCauses } from './source-causes.ts';
import { configurationRecord, type SourceConfiguration } from './source-configuration.ts';
import type { SyncPorts } from './sync-ports.ts';

/** A commit, read, admitted and braked: what is to be activated. */
export interface JudgedCommit {
  readonly commit: CommitInfo;
  readonly admission: Admission;
  readonly braked: BrakedHolds;
  readonly brakes: Brakes;
  readonly otherKinds: Readonly<Record<string, number>>;
  /** Of the commits whose signature was checked. */
  readonly signatures: readonly CommitSignature[];
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

interface BrakeParts {
  readonly input: AdmissionInput;
  readonly first: Admission;
  readonly request: JudgeRequest;
  readonly holdInput: Omit<HoldInput, 'tenants' | 'diagnostics'>;
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
    const read = await this.#read(repository, hash, inForce);
    const input = await this.#admissionInput({ request, read, inForce });
    const admission = admit(input);
    const present = await this.#presentReplicas(admission, inForce);
    const causes = configurationCauses(state, configuration, leaving(admission, inForce));
    const { admission: settled, braked } = this.#brake({
      input,
      first: admission,
      request,
      holdInput: {
        inForce,
        sourceCauses: [...fromGit.causes, ...causes],
        isFirstActivation: state.commit === null,
        blastRadius: this.#configuration.blastRadius,
        presentReplicas: ({ namespace, name }) => present.get(`${namespace}/${name}`),
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
        presentReplicas: ({ namespace, name }) => present.get(`${namespace}/${name}`),
      });
  }

  /**
   * Holds back what is held, and looks again at what then comes in force: a root that advances without a held tenant
   * changes that tenant's policies in force, and a tenant that advances without a held root is judged by the old one.
   * Each turn holds back more, so the turns end.
   */
  #brake(parts: BrakeParts): { readonly admission: Admission; readonly braked: BrakedHolds } {
    const { input, request, holdInput } = parts;
    const { clock, digest } = this.#ports;
    const moment = { commit: request.hash, time: clock.now(), digest };
    let admission = parts.first;
    let proposed: readonly ProposedHold[] = [];
    let heldBack: ReadonlySet<string> = new Set();
    for (;;) {
      const { tenants, diagnostics } = admission;
      const found = findHolds({ ...holdInput, tenants, diagnostics });
      proposed = [...proposed, ...found.filter((hold) => isNew(hold, proposed, heldBack))];
      const braked = brake(request.brakes, proposed, moment);
      const held = braked.isSourceHeld ? tenants.map(({ tenant }) => tenant) : [...braked.heldTenants];
      if (held.every((tenant) => heldBack.has(tenant))) return { admission, braked };
      heldBack = new Set([...heldBack, ...held]);
      admission = admit({ ...input, heldBack });
    }
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

  async #admissionInput(parts: AdmissionParts): Promise<AdmissionInput> {
    const { request, read, inForce } = parts;
    const { repository: options, read: context, location } = this.#configuration;
    const activeFiles = await loadActiveFiles(request);
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

/** What is proposed already is not proposed twice, and what is held back is not held again. */
function isNew(
  { scope, causes, result }: ProposedHold,
  known: readonly ProposedHold[],
  heldBack: ReadonlySet<string>,
): boolean {
  if (scope.kind === 'Source') return !known.some((hold) => hold.scope.kind === 'Source');
  if (heldBack.has(scope.tenant)) return false;
  return !known.some(
    (hold) =>
      hold.scope.kind === 'Tenant' &&
      hold.scope.tenant === scope.tenant &&
      hold.result === result &&
      hold.causes.length === causes.length &&
      hold.causes.every(({ code }, index) => code === causes[index]?.code),
  );
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

/** The files of each tenant's active revision; undefined where that is not on disk. */
type ActiveFiles = (tenant: string) => ReadonlyMap<string, string> | undefined;

async function loadActiveFiles({ repository, state }: JudgeRequest): Promise<ActiveFiles> {
  const files = new Map<string, ReadonlyMap<string, string>>();
  for (const commit of new Set(Object.values(state.tenants))) {
    if (!(await repository.hasCommit(commit))) continue;
    const tree = await repository.loadTree(commit, Number.MAX_SAFE_INTEGER);
    files.set(commit, new Map(tree.map(({ path, id }) => [path, id])));
  }
  return (tenant) => files.get(state.tenants[tenant] ?? '');
}

const decoder = new TextDecoder('latin1');

function mayHold(bytes: Uint8Array | undefined, document: RepositoryDocument): boolean {
  if (bytes === undefined) return true;
  const text = decoder.decode(bytes);
  return text.includes(document.kind) && text.includes(document.name);
}
