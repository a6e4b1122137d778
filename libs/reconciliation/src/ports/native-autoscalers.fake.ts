import { isJsonObject, type JsonObject } from '#kernel';
import { versionedHpaDocument } from '../hpa/hpa-document.ts';
import { readNativeAutoscaler } from '../hpa/read-native-autoscaler.ts';
import { isVersionManager, plimsollManager, versionManagers } from './field-manager.ts';
import type {
  AutoscalerName,
  AutoscalerReading,
  AutoscalerReplacement,
  AutoscalerRetirementOutcome,
  AutoscalerVersionRetirement,
  AutoscalerWriteOutcome,
  LiveAutoscaler,
  NativeAutoscaler,
  NativeAutoscalerListing,
  NativeAutoscalersPort,
  OwnedAutoscaler,
} from './native-autoscalers.port.ts';
import type { ScaleWriteFailure } from './scale.port.ts';

/** What goes wrong with the next write of a {@link FakeNativeAutoscalers}. */
export type FakeHpaFault =
  | { readonly kind: 'Fails'; readonly failure: ScaleWriteFailure }
  /** A deletion is answered as made, and deletes nothing. */
  | { readonly kind: 'Ignored' }
  /** It is delivered twice, and the second answer is a conflict. */
  | { readonly kind: 'Twice' }
  /** No answer ever comes; `taken` says whether the write was made. */
  | { readonly kind: 'Hangs'; readonly taken: 'Yes' | 'No' }
  /** The API server answers with an error of its own, and makes nothing. */
  | { readonly kind: 'Breaks' }
  /** No answer ever comes, and a replacement is under way until {@link FakeNativeAutoscalers.deliverLate}. */
  | { readonly kind: 'Late' };

/** HPAs in memory with versions, managers, faults and a watch that may lag. */
export class FakeNativeAutoscalers implements NativeAutoscalersPort {
  /** Every write that was made, in order: `Create checkout`. */
  readonly writes: string[] = [];
  /** Every version that was made a former one, in order: `checkout 3`. */
  readonly retired: string[] = [];
  /** What the coming retirements of versions come to, in order. */
  readonly retirements: Extract<AutoscalerRetirementOutcome, { readonly message: string }>[] = [];
  /** How many live reads there were. */
  reads = 0;
  /** Why live reads fail; null: they do not. */
  unreadable: string | null = null;
  /** Faults of the coming writes, in order. */
  readonly faults: FakeHpaFault[] = [];
  /** What the API server makes of a spec: a field that it does not know is dropped. */
  keep: (spec: JsonObject) => JsonObject = (spec) => spec;
  version: string | null = 'v1.36.3';
  readonly #late: JsonObject[] = [];
  readonly #asked = new Map<string, ReadonlySet<number>>();
  readonly #listings = new Map<string, NativeAutoscalerListing>();
  readonly #documents = new Map<string, JsonObject>();
  #watched: ReadonlyMap<string, JsonObject> | null = null;
  #count = 0;

  /** The namespace's HPAs from now on, beside those that were written. */
  set(namespace: string, autoscalers: readonly NativeAutoscaler[]): void {
    this.#listings.set(namespace, { state: 'Synced', autoscalers });
  }

  /** The cache has no answer from now on. */
  unsync(namespace: string): void {
    this.#listings.set(namespace, { state: 'Unsynced', message: 'the HPA cache is not synced' });
  }

  /** The listing stays as it is now until {@link catchUp}. */
  lag(): void {
    this.#watched = new Map(this.#documents);
  }

  catchUp(): void {
    this.#watched = null;
  }

  /** Creates or replaces an HPA as another manager would. */
  putAs(manager: string, document: JsonObject): void {
    this.#put(document, manager);
  }

  /** Changes the spec of an HPA as another manager would. */
  editAs(manager: string, name: AutoscalerName, changes: JsonObject): void {
    const document = this.document(name);
    if (document === undefined) throw new Error(`there is no HPA ${keyOf(name)}`);
    this.#put({ ...document, spec: { ...objectOf(document['spec']), ...changes } }, manager);
  }

  /** Writes a status as the native controller does, under the name that it has in the cluster. */
  report(name: AutoscalerName, status: JsonObject, manager = 'kube-controller-manager'): void {
    const document = this.document(name);
    if (document === undefined) throw new Error(`there is no HPA ${keyOf(name)}`);
    const managers = managersOf(document).filter(({ subresource }) => subresource !== 'status');
    const time = new Date(Date.parse('2026-11-20T12:00:00Z') + this.#count * 1_000).toISOString();
    const entry = { manager, operation: 'Update', subresource: 'status', time, fieldsV1: { 'f:status': {} } };
    const metadata = { ...objectOf(document['metadata']), managedFields: [...managers, entry] };
    this.#store({ ...document, metadata, status });
    const { desiredReplicas } = status;
    if (typeof desiredReplicas !== 'number') return;
    this.#asked.set(keyOf(name), new Set([...this.askedLately(name), desiredReplicas]));
  }

  /** Clears who wrote an HPA, as anybody may. */
  clearManagers(name: AutoscalerName): void {
    const document = this.document(name);
    if (document === undefined) throw new Error(`there is no HPA ${keyOf(name)}`);
    this.#store({ ...document, metadata: { ...objectOf(document['metadata']), managedFields: [] } });
  }

  /** Takes an HPA away, as another manager or the garbage collector would. */
  remove(name: AutoscalerName): void {
    this.#documents.delete(keyOf(name));
  }

  /** The object as the API server holds it. */
  document(name: AutoscalerName): JsonObject | undefined {
    return this.#documents.get(keyOf(name));
  }

  listAutoscalers(namespace: string): NativeAutoscalerListing {
    const listing = this.#listings.get(namespace) ?? { state: 'Synced', autoscalers: [] };
    if (listing.state === 'Unsynced') return listing;
    const written = this.#list(namespace).map((document) => liveOf(document).autoscaler);
    return { state: 'Synced', autoscalers: [...listing.autoscalers, ...written] };
  }

  listOwned(): readonly OwnedAutoscaler[] {
    return [...this.#documents.values()].flatMap((document) => {
      const { autoscaler } = liveOf(document);
      if (autoscaler.policy === null || !autoscaler.isWrittenByPlimsoll) return [];
      return [{ namespace: nameOf(document).namespace, name: autoscaler.name, policy: autoscaler.policy }];
    });
  }

  askedLately(name: AutoscalerName): ReadonlySet<number> {
    return this.#asked.get(keyOf(name)) ?? new Set();
  }

  serverVersion(): string | null {
    return this.version;
  }

  readAutoscaler(name: AutoscalerName): Promise<AutoscalerReading> {
    this.reads += 1;
    if (this.unreadable !== null) return Promise.resolve({ kind: 'Failed', message: this.unreadable });
    const document = this.document(name);
    if (document === undefined) return Promise.resolve({ kind: 'NotFound' });
    return Promise.resolve({ kind: 'Found', ...liveOf(document) });
  }

  createAutoscaler(document: JsonObject, signal: AbortSignal): Promise<AutoscalerWriteOutcome> {
    return this.#write(signal, () => {
      if (this.document(nameOf(document)) !== undefined) return refused('Conflict');
      this.writes.push(`Create ${nameOf(document).name}`);
      return { outcome: 'Written', live: liveOf(this.#put(document, plimsollManager)) };
    });
  }

  replaceAutoscaler(write: AutoscalerReplacement, signal: AbortSignal): Promise<AutoscalerWriteOutcome> {
    const {
      document,
      observed: { autoscaler: observed },
    } = write;
    const failure = write.unwanted();
    if (failure !== null) return Promise.resolve({ outcome: 'Failed', failure });
    if (this.faults[0]?.kind === 'Late') this.#late.push(document);
    return this.#write(signal, () => {
      const present = this.document(nameOf(document));
      if (present === undefined) return refused('NotFound');
      if (liveOf(present).autoscaler.digest !== observed.digest) return refused('Conflict');
      this.writes.push(`Update ${observed.name}`);
      const metadata = { ...objectOf(document['metadata']), managedFields: managersOf(present) };
      return {
        outcome: 'Written',
        live: liveOf(this.#put({ ...present, ...document, metadata }, plimsollManager)),
      };
    });
  }

  deleteAutoscaler(
    { uid, ...name }: AutoscalerName & { readonly uid: string },
    signal: AbortSignal,
  ): Promise<AutoscalerWriteOutcome> {
    if (this.faults[0]?.kind === 'Ignored') {
      this.faults.shift();
      return Promise.resolve({ outcome: 'Written', live: null });
    }
    return this.#write(signal, () => {
      const present = this.document(name);
      if (present !== undefined && liveOf(present).autoscaler.uid !== uid) return refused('Conflict');
      this.writes.push(`Delete ${name.name}`);
      this.remove(name);
      return { outcome: 'Written', live: null };
    });
  }

  /** Every replacement that is under way reaches the API server, which takes it on the version that it names alone. */
  deliverLate(): void {
    for (const document of this.#late.splice(0)) {
      const present = this.document(nameOf(document));
      if (present === undefined || versionOf(present) !== versionOf(document)) continue;
      this.writes.push(`Update ${nameOf(document).name}`);
      this.#put({ ...present, ...document }, plimsollManager);
    }
  }

  retireVersion(retirement: AutoscalerVersionRetirement): Promise<AutoscalerRetirementOutcome> {
    const { live } = retirement;
    const failure = retirement.unwanted();
    if (failure !== null) return Promise.resolve({ kind: 'Unknown', message: failure.message });
    const planned = this.retirements.shift();
    if (planned !== undefined) return Promise.resolve(planned);
    const document = versionedHpaDocument(live.document);
    const present = this.document(nameOf(document));
    if (present === undefined || versionOf(present) !== versionOf(live.document))
      return Promise.resolve({ kind: 'Changed' });
    this.retired.push(`${nameOf(document).name} ${versionOf(present)}`);
    const metadata = { ...objectOf(document['metadata']), managedFields: managersOf(present) };
    this.#put({ ...document, metadata }, versionManagers[0]);
    return Promise.resolve({ kind: 'Retired' });
  }

  #write(signal: AbortSignal, make: () => AutoscalerWriteOutcome): Promise<AutoscalerWriteOutcome> {
    const fault = this.faults.shift();
    if (fault === undefined) return Promise.resolve(make());
    if (fault.kind === 'Fails') return Promise.resolve({ outcome: 'Failed', failure: fault.failure });
    if (fault.kind === 'Twice') {
      make();
      return Promise.resolve(refused('Conflict'));
    }
    if (fault.kind === 'Breaks') return Promise.resolve({ outcome: 'Unknown', failure: broken });
    if (fault.kind === 'Hangs' && fault.taken === 'Yes') make();
    return new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true });
    });
  }

  #list(namespace: string): readonly JsonObject[] {
    const documents = [...(this.#watched ?? this.#documents).values()];
    return documents.filter((document) => nameOf(document).namespace === namespace);
  }

  #put(document: JsonObject, manager: string): JsonObject {
    const metadata = objectOf(document['metadata']);
    this.#count += 1;
    const managers = managersOf(document).filter((entry) => objectOf(entry)['manager'] !== manager);
    const time = new Date(Date.parse('2026-11-20T12:00:00Z') + this.#count * 1_000).toISOString();
    const fieldsV1 = isVersionManager(manager) ? { 'f:metadata': {} } : { 'f:spec': {} };
    const managedFields = [...managers, { manager, operation: 'Update', time, fieldsV1 }];
    const uid = metadata['uid'] ?? `uid-${this.#count}`;
    const spec = this.keep(objectOf(document['spec']));
    return this.#store({ ...document, metadata: { ...metadata, uid, managedFields }, spec });
  }

  #store(document: JsonObject): JsonObject {
    this.#count += 1;
    const metadata = { ...objectOf(document['metadata']), resourceVersion: String(this.#count) };
    const stored = { ...document, metadata };
    this.#documents.set(keyOf(nameOf(document)), stored);
    return stored;
  }
}

const broken = { code: 'ServerError', message: 'failed calling webhook', retryable: true };

function liveOf(document: JsonObject): LiveAutoscaler {
  const name = objectOf(objectOf(document['spec'])['scaleTargetRef'])['name'];
  const selector = typeof name === 'string' ? `app=${name}` : null;
  return { autoscaler: { ...readNativeAutoscaler(document), selector }, document };
}

function managersOf(document: JsonObject): readonly JsonObject[] {
  const { managedFields } = objectOf(document['metadata']);
  return Array.isArray(managedFields) ? managedFields.filter((entry) => isJsonObject(entry)) : [];
}

function nameOf(document: JsonObject): AutoscalerName {
  const { namespace, name } = objectOf(document['metadata']);
  if (typeof namespace !== 'string' || typeof name !== 'string') throw new Error('an HPA has no name');
  return { namespace, name };
}

function versionOf(document: JsonObject): string {
  return liveOf(document).autoscaler.resourceVersion;
}

function keyOf({ namespace, name }: AutoscalerName): string {
  return `${namespace}/${name}`;
}

function refused(code: string): AutoscalerWriteOutcome {
  return { outcome: 'Failed', failure: { code, message: code, retryable: code === 'Conflict' } };
}

function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}
