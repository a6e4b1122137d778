import { mapInSteps, namespacedName, runInTimeSlices } from '#kernel';
import type { EffectivePolicy } from '#policy';
import {
  type Admission,
  type AdmissionInput,
  admitInSteps,
  type DocumentCache,
  type HoldCause,
  type HoldScope,
  identityKey,
  neighboursBefore,
  OverlayCache,
  type PolicyDigests,
  PolicyFileCache,
  prepareAdmission,
  type RepositoryDocument,
  type ResolveCache,
  resultOf,
} from '#repository';
import { applyHolds, type HeldAdmission } from '../approve/apply-holds.ts';
import { ContentCache } from '../fetch/content-cache.ts';
import { type CommitReading, readCommit } from '../fetch/read-commit.ts';
import type { Approvals } from '../holds/approvals.ts';
import { isReturnToFollowed } from '../holds/followed-revision.ts';
import type { ResolvedHolds } from '../holds/resolve-holds.ts';
import type { ActiveDocument } from '../in-force/active-policy-set.ts';
import type { CommitInfo, GitRepositoryPort } from '../ports/git.port.ts';
import type { SourceState } from '../ports/revision-store.port.ts';
import { configurationRecord, type SourceConfiguration } from '../setup/source-configuration.ts';
import type { SyncPorts } from '../setup/sync-ports.ts';
import { type ActiveFiles, loadActiveFiles } from './load-active-files.ts';
import { loadReplicas } from './load-replicas.ts';
import { type CommitSignature, configurationCauses, loadSourceCauses } from './load-source-causes.ts';
import type { RevisionTimings } from './revision-details.ts';

/** A commit that was fetched, and what it is judged against. */
export interface FetchedCommit {
  readonly repository: GitRepositoryPort;
  readonly hash: string;
  readonly state: SourceState;
  readonly approvals: Approvals;
  /** RFC 3339. */
  readonly fetchedAt: string;
}

/** A commit whose ancestry and signatures were checked. */
export interface VerifiedCommit extends FetchedCommit {
  readonly commit: CommitInfo;
  /** Why the whole source is held, whatever the commit contains. */
  readonly sourceCauses: readonly HoldCause[];
  /** Of the commits whose signature was checked. */
  readonly signatures: readonly CommitSignature[];
  readonly verifyMilliseconds: number;
}

/** A commit whose files were read. */
export interface ParsedCommit extends VerifiedCommit {
  readonly read: CommitReading;
  /** What the source has in force, without the policies that were released by name. */
  readonly inForce: readonly ActiveDocument[];
  readonly readMilliseconds: number;
}

/** A commit that was admitted, a transaction per tenant: what of it comes into force, and what is held. */
export interface AdmittedCommit extends FetchedCommit {
  readonly commit: CommitInfo;
  readonly admission: Admission;
  readonly holds: ResolvedHolds;
  readonly otherKinds: Readonly<Record<string, number>>;
  readonly signatures: readonly CommitSignature[];
  readonly timings: RevisionTimings;
  /** The digest of what a scope comes to. */
  readonly resultOfScope: (scope: HoldScope) => string;
}

/** What a judge works with. */
export interface CommitJudgeOptions {
  readonly configuration: SourceConfiguration;
  readonly ports: Pick<
    SyncPorts,
    'active' | 'clock' | 'digest' | 'earlierReplicas' | 'parser' | 'presentReplicas'
  >;
  readonly digests: PolicyDigests;
}

/** Judges the commits of one source; keeps what it read between them. Every step throws `AdapterError`. */
export class CommitJudge {
  readonly #configuration: SourceConfiguration;
  readonly #ports: CommitJudgeOptions['ports'];
  readonly #digests: PolicyDigests;
  readonly #files = new PolicyFileCache();
  readonly #documents: DocumentCache<RepositoryDocument> = new WeakMap();
  readonly #overlays = new OverlayCache();
  readonly #resolved: ResolveCache = new WeakMap();
  readonly #contents = new ContentCache();

  constructor({ configuration, ports, digests }: CommitJudgeOptions) {
    this.#configuration = configuration;
    this.#ports = ports;
    this.#digests = digests;
  }

  /** Fetched → verified: checks ancestry and signatures. */
  async verify(fetched: FetchedCommit): Promise<VerifiedCommit> {
    const began = this.#ports.clock.monotonicMilliseconds();
    const { repository, state, approvals, hash } = fetched;
    const { verify, location } = this.#configuration;
    const commit = await repository.loadCommit(hash);
    const query = { repository, state, approvals, commit: hash, verify, url: location.url };
    const { causes, signatures } = await loadSourceCauses(query);
    return { ...fetched, commit, sourceCauses: causes, signatures, verifyMilliseconds: this.#since(began) };
  }

  /** Reads a commit's files where nothing is in force: what a later {@link CommitJudge.parse} finds known. */
  async readAhead(repository: GitRepositoryPort, hash: string): Promise<void> {
    await this.#read(repository, hash, []);
  }

  /** Verified → parsed: reads the files of the commit's tree. */
  async parse(verified: VerifiedCommit): Promise<ParsedCommit> {
    const began = this.#ports.clock.monotonicMilliseconds();
    const { repository, hash, approvals } = verified;
    const released = new Set(approvals.released.map(({ policy }) => policy));
    const inForce = this.#ports.active
      .documentsOf(this.#configuration.location.source)
      .filter(({ source }) => source.role !== 'Policy' || !released.has(identityKey(source)));
    const read = await this.#read(repository, hash, inForce);
    return { ...verified, read, inForce, readMilliseconds: this.#since(began) };
  }

  /** Parsed → admitted: resolves what comes into force beside what other sources have in force now. */
  async admit(parsed: ParsedCommit): Promise<AdmittedCommit> {
    const { clock } = this.#ports;
    const began = clock.monotonicMilliseconds();
    const input = await this.#admissionInput(parsed);
    await runInTimeSlices(prepareAdmission(input), clock, 'sync: admitting');
    const { admission, holds } = await this.#hold(parsed, input);
    const final = { tenants: admission.tenants, digests: this.#digests };
    const { repository, hash, state, approvals, fetchedAt, commit, signatures, read } = parsed;
    const { verifyMilliseconds, readMilliseconds } = parsed;
    return {
      ...{ repository, hash, state, approvals, fetchedAt, commit, signatures, admission, holds },
      otherKinds: read.reading.otherKinds,
      timings: { verifyMilliseconds, readMilliseconds, admitMilliseconds: this.#since(began) },
      resultOfScope: (scope) => resultOf(final, scope),
    };
  }

  /** Keeps back what awaits approval. */
  async #hold(parsed: ParsedCommit, input: AdmissionInput): Promise<HeldAdmission> {
    const { state, approvals, hash, inForce, sourceCauses } = parsed;
    const { clock, digest } = this.#ports;
    const work = 'sync: comparing with what is in force';
    const first = await runInTimeSlices(admitInSteps(input), clock, work);
    await clock.nextTurn();
    clock.noteWork(work);
    const changed = changedPolicies(first, inForce);
    const replicas = await loadReplicas({ ports: this.#ports, approvals, changed });
    const configuration = configurationRecord(this.#configuration);
    const isExempt = isReturnToFollowed(approvals, hash, first.tenants);
    return applyHolds({
      input,
      clock,
      first,
      approvals,
      moment: { commit: hash, time: clock.now(), digest },
      holdInput: {
        inForce,
        sourceCauses: [
          ...sourceCauses,
          ...configurationCauses(state, configuration, leaving(first, inForce)),
        ],
        isFirstActivation: state.commit === null,
        ...(isExempt ? {} : { blastRadius: this.#configuration.blastRadius }),
        ...replicas,
        digests: this.#digests,
      },
    });
  }

  #since(began: number): number {
    return Math.round(this.#ports.clock.monotonicMilliseconds() - began);
  }

  #read(
    repository: GitRepositoryPort,
    hash: string,
    inForce: readonly ActiveDocument[],
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

  async #admissionInput(parsed: ParsedCommit): Promise<AdmissionInput> {
    const { repository, state, approvals, read, inForce } = parsed;
    const { repository: options, read: context, location } = this.#configuration;
    const activeFiles = await loadActiveFiles(repository, state);
    const tenants = new Map(options.tenants.map((tenant) => [tenant.name, tenant]));
    return {
      reading: read.reading,
      inForce: { documents: inForce, wasActivated: state.commit !== null },
      options,
      context: { read: context, tenant: (name) => tenants.get(name), known: this.#resolved },
      foreign: this.#ports.active.policiesOfOthers(location.source),
      heldBack: new Set(),
      released: new Set(approvals.released.map(({ policy }) => policy)),
      missing: read.missing,
      // Where the active revision is not on disk every file counts as changed.
      isChanged: ({ path, blob, tenant }) => activeFiles(tenant)?.get(path) !== blob,
      ...(await this.#loadNeighbours(parsed, activeFiles)),
      mayContain: (file, document) => mayContain(read.content(file.path), document),
    };
  }

  /** Reads files as they were, where what they have now may have been a document in force. */
  async #loadNeighbours(
    parsed: ParsedCommit,
    activeFiles: ActiveFiles,
  ): Promise<Pick<AdmissionInput, 'wasBeside' | 'wasThere'>> {
    const { repository } = parsed;
    const steps = neighboursOf(parsed, activeFiles);
    const blobs = await runInTimeSlices(steps, this.#ports.clock, 'sync: looking for neighbours');
    if (blobs.size === 0) return neighboursBefore(() => undefined);
    const { fetchLimits, repository: options } = this.#configuration;
    const limits = { ...fetchLimits, blobBytes: options.limits.fileBytes };
    const contents = await repository.loadBlobs([...new Set(blobs.values())], limits);
    return neighboursBefore((file) => {
      const content = contents.get(blobs.get(file) ?? '');
      return content?.kind === 'Bytes' ? content.bytes : undefined;
    });
  }
}

function changedPolicies(
  admission: Admission,
  inForce: readonly ActiveDocument[],
): readonly EffectivePolicy[] {
  const unchanged = new Set<EffectivePolicy | undefined>(inForce.map(({ policy }) => policy));
  return admission.tenants
    .flatMap(({ policies }) => policies.map(({ policy }) => policy))
    .filter((policy) => !unchanged.has(policy));
}

/**
 * The blobs of files in the active revision, by path: of those in which something else of its name stands in the place of a
 * document in force, and of those that have an unmanaged document of its name or in its file. One document per step.
 */
function* neighboursOf(
  { read: { reading }, inForce }: ParsedCommit,
  activeFiles: ActiveFiles,
): Generator<void, ReadonlyMap<string, string>, void> {
  const { documents, others, untaken } = reading;
  const taken = new Set(yield* mapInSteps(documents, identityKey));
  const placeOf = ({ file, name }: { readonly file: string; readonly name: string }): string =>
    `${file} ${name}`;
  const places = [...(yield* mapInSteps(others, placeOf)), ...(yield* mapInSteps(documents, placeOf))];
  const candidates = new Set(places);
  const unmanaged = untaken.filter(({ reason }) => reason === 'NamespaceNotManaged');
  const [unmanagedByName, unmanagedByFile] = [Map.groupBy(unmanaged, nameOf), new Set(unmanaged.map(fileOf))];
  const blobs = new Map<string, string>();
  for (const { source } of inForce) {
    yield;
    if (taken.has(identityKey(source))) continue;
    const isIn = candidates.has(placeOf(source)) || unmanagedByFile.has(source.file);
    const files = [...(isIn ? [source.file] : []), ...(unmanagedByName.get(source.name) ?? []).map(fileOf)];
    for (const file of files) {
      const blob = activeFiles(source.tenant)?.get(file);
      if (blob !== undefined) blobs.set(file, blob);
    }
  }
  return blobs;
}

function leaving(admission: Admission, inForce: readonly ActiveDocument[]): readonly string[] {
  const staying = new Set(
    admission.tenants.flatMap(({ policies }) => policies.map(({ policy }) => namespacedName(policy))),
  );
  return inForce.flatMap(({ policy }) =>
    policy === undefined || staying.has(namespacedName(policy)) ? [] : [namespacedName(policy)],
  );
}

const decoder = new TextDecoder('latin1');

function mayContain(bytes: Uint8Array | undefined, document: RepositoryDocument): boolean {
  if (bytes === undefined) return true;
  const text = decoder.decode(bytes);
  return text.includes(document.kind) && text.includes(document.name);
}

function nameOf({ name }: { readonly name: string }): string {
  return name;
}

function fileOf({ file }: { readonly file: string }): string {
  return file;
}
