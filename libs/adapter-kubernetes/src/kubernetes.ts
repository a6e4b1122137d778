import type { LeasePort } from '#coordination';
import { AdapterError, apiGroupOf } from '#kernel';
import type {
  CompetingAutoscalersPort,
  KubernetesEventsPort,
  LogPort,
  NativeAutoscalersPort,
  ObjectsPort,
  OwnersPort,
  PodsPort,
  ReplicaChangesPort,
  ScalePort,
} from '#reconciliation';
import type { Access } from './api/access.ts';
import { ApiClient, type ApiRequest } from './api/api-client.ts';
import { KindAbsences } from './api/kind-absences.ts';
import { openConnection } from './api/kube-connection.ts';
import type { ConnectionSource } from './api/load-kubeconfig.ts';
import { watchedNamespaces } from './api/namespace-scopes.ts';
import { RestMapper } from './api/rest-mapper.ts';
import { ServerVersion } from './api/server-version.ts';
import { withDeadline } from './api/with-deadline.ts';
import { AutoscalerCache } from './autoscalers/autoscaler-cache.ts';
import { AutoscalerClient } from './autoscalers/autoscaler-client.ts';
import { CompetingAutoscalers } from './autoscalers/competing-autoscalers.ts';
import { readClusterUid } from './cluster-uid.ts';
import { type EventCounts, EventRecorder } from './events/event-recorder.ts';
import type { InformerStatus } from './informer/informer.ts';
import { WatchLog } from './informer/watch-log.ts';
import type { WatchOptions } from './informer/watched-cache.ts';
import { LeaseClient, type LeasePlace } from './lease-client.ts';
import { ObjectReader } from './objects/object-reader.ts';
import { OwnerCaches } from './pods/owner-caches.ts';
import { type OwnerCounts, OwnerResolver } from './pods/owner-resolver.ts';
import { PodCache } from './pods/pod-cache.ts';
import { KubernetesReviews } from './reviews.ts';
import { CustomTargets } from './targets/custom-targets.ts';
import { MetadataCaches } from './targets/metadata-caches.ts';
import { ReachedScales } from './targets/reached-scales.ts';
import { ReplicaChangeFeed } from './targets/replica-change-feed.ts';
import { ReplicaChangeWatch } from './targets/replica-change-watch.ts';
import { ScaleClient } from './targets/scale-client.ts';
import { ScaleReader } from './targets/scale-reader.ts';
import { ScaleWriter } from './targets/scale-writer.ts';
import { VersionRetirer } from './targets/version-retirer.ts';
import { WorkloadCache } from './targets/workload-cache.ts';
import { systemTiming, type Timing } from './time/timing.ts';

export interface KubernetesOptions {
  readonly connection: ConnectionSource;
  /** Those that are read and written; `*` is all of them. */
  readonly namespaces: readonly string[];
  /** Nothing is written, not even an Event: `mode: Observe`. Default false. */
  readonly isReadOnly?: boolean;
  readonly log: LogPort;
  /** Requests at a time, watches and metrics not counted. Default 32. */
  readonly maximumConcurrency?: number;
  /** How long an owner of an unwatched kind is believed to be there. Default 900. */
  readonly ownerLifetimeSeconds?: number;
  /** How long a confirmed absence of an owner is believed: at most the shortest interval of a policy. Default 10. */
  readonly ownerAbsenceSeconds?: number;
  readonly timing?: Timing;
  /** Hears what begins that may hold the thread: which answer is parsed. */
  readonly noteWork?: (work: string) => void;
}

/** A watch, and how long ago its cache was known to be complete, in milliseconds; undefined: it never was. */
export type WatchHealth = InformerStatus & { readonly staleMilliseconds: number | undefined };

/** Size and condition of the caches: for `/readyz`, `/metrics` and the bench. */
export interface KubernetesHealth {
  readonly informers: readonly WatchHealth[];
  /** Those that must be listed before anything can be carried out. */
  readonly unlisted: readonly InformerStatus[];
  readonly pods: number;
  readonly ownerCache: OwnerCounts;
  readonly events: EventCounts;
}

/** A cluster, as the ports of reconciliation see it. */
export interface Kubernetes {
  /** Without a trailing slash; never with credentials. */
  readonly server: string;
  readonly pods: PodsPort;
  readonly owners: OwnersPort;
  readonly objects: ObjectsPort;
  readonly scales: ScalePort;
  readonly replicaChanges: ReplicaChangesPort;
  readonly autoscalers: NativeAutoscalersPort;
  readonly competingAutoscalers: CompetingAutoscalersPort;
  readonly events: KubernetesEventsPort;
  /** A client of the same server with its own bound of concurrent requests: for one source of metrics. */
  readonly createClient: (maximumConcurrency: number) => KubernetesReader;
  /** Asks who somebody is, and what they may do. */
  readonly reviews: KubernetesReviews;
  /** Leases, in a namespace that need not be managed, and also while nothing else is written. */
  readonly leasesOf: (place: LeasePlace) => LeasePort;
  /** What tells it from every other cluster. @throws AdapterError */
  readonly clusterUid: () => Promise<string>;
  /** A kind's plural and group through discovery. @throws AdapterError `UnknownKind`, or what the API server says */
  readonly resourceNameOf: (apiVersion: string, kind: string) => Promise<ResourceName>;
  /** Begins to watch. */
  readonly start: () => void;
  /**
   * Resolves when every cache has been listed; a namespace whose Role refuses a list to us is not waited for where
   * another one is listed.
   *
   * @throws AdapterError `Timeout`, naming the caches that have not, or the signal's reason once it aborts.
   */
  readonly whenSynced: (timeoutMilliseconds: number, signal?: AbortSignal) => Promise<void>;
  readonly health: () => KubernetesHealth;
  /** Whether nothing is written from now on: `mode: Observe`. */
  readonly setReadOnly: (isReadOnly: boolean) => void;
  /** Ends every watch, timer and connection. */
  readonly stop: () => Promise<void>;
}

/** `ingresses` of `networking.k8s.io`; the core group is empty. */
export interface ResourceName {
  readonly resource: string;
  readonly group: string;
}

/** Reads JSON of the API server. @see ApiClient.json */
export interface KubernetesReader {
  readonly json: (request: ApiRequest) => Promise<unknown>;
}

const sweepIntervalMilliseconds = 60_000;
const defaultConcurrency = 32;
/** Requests at a time about callers of our API, which must not take the places of what is carried out. */
const reviewConcurrency = 16;
/** Renewals at a time, which must never wait for anything else. */
const leaseConcurrency = 32;

/**
 * Opens a cluster; nothing is sent before `start`.
 *
 * @throws AdapterError `InvalidKubeconfig`
 */
export function openKubernetes(options: KubernetesOptions): Kubernetes {
  const timing = options.timing ?? systemTiming;
  const connection = openConnection(options.connection, timing);
  const { maximumConcurrency = defaultConcurrency } = options;
  const access = {
    namespaces: watchedNamespaces(options.namespaces),
    isReadOnly: options.isReadOnly ?? false,
  };
  const createClient = (maximum: number): ApiClient =>
    new ApiClient(connection, {
      timing,
      access,
      maximumConcurrency: maximum,
      noteWork: options.noteWork,
    });
  const unlimitedClient = (maximum: number): ApiClient =>
    new ApiClient(connection, { timing, maximumConcurrency: maximum });
  const client = createClient(maximumConcurrency);
  const parts = assemble(options, { client, access, timing });
  const { caches, owners, events } = parts;
  let sweeping: NodeJS.Timeout | undefined;
  let firstLook: Promise<void> | undefined;
  return {
    server: connection.server,
    pods: parts.pods,
    owners,
    objects: parts.objects,
    scales: parts.scales,
    replicaChanges: parts.replicaChanges,
    autoscalers: parts.autoscalers,
    competingAutoscalers: parts.competing,
    events,
    createClient,
    reviews: new KubernetesReviews(unlimitedClient(reviewConcurrency)),
    leasesOf: (place) => new LeaseClient(unlimitedClient(leaseConcurrency), place),
    clusterUid: () => readClusterUid(unlimitedClient(1)),
    resourceNameOf: (apiVersion, kind) => resourceNameBy(parts.mapper, apiVersion, kind),
    start: () => {
      for (const cache of caches()) cache.start();
      void parts.serverVersion.refresh();
      firstLook = parts.competing.look();
      sweeping ??= setInterval(() => maintain(parts), sweepIntervalMilliseconds).unref();
    },
    whenSynced: async (timeoutMilliseconds, signal) => {
      await waitUntilSynced(parts.required, timeoutMilliseconds, signal);
      await firstLook;
    },
    health: () => healthOf(parts, timing),
    setReadOnly: (isReadOnly) => {
      access.isReadOnly = isReadOnly;
    },
    stop: async () => {
      clearInterval(sweeping);
      await Promise.all([...caches(), parts.competing].map((cache) => cache.stop()));
      await connection.close();
    },
  };
}

async function resourceNameBy(mapper: RestMapper, apiVersion: string, kind: string): Promise<ResourceName> {
  const mapping = await mapper.mappingOf(apiVersion, kind);
  return { resource: mapping.resource, group: apiGroupOf(mapping.apiVersion) };
}

/** A cache of any content, as far as its life goes. */
interface Watching {
  readonly start: () => void;
  readonly stop: () => Promise<void>;
  readonly whenSynced: () => Promise<void>;
  readonly statuses: readonly InformerStatus[];
  readonly unlisted: readonly InformerStatus[];
}

interface AssembledCluster {
  readonly mapper: RestMapper;
  readonly pods: PodCache;
  readonly owners: OwnerResolver;
  readonly objects: ObjectReader;
  readonly scales: ScaleClient;
  readonly replicaChanges: ReplicaChangeWatch;
  readonly autoscalers: AutoscalerClient;
  readonly competing: CompetingAutoscalers;
  readonly serverVersion: ServerVersion;
  readonly events: EventRecorder;
  /** Those that are watched now: one more for each further kind that policies target. */
  readonly caches: () => readonly Watching[];
  /** Those that a start waits for. */
  readonly required: readonly Watching[];
}

function assemble(
  options: KubernetesOptions,
  {
    client,
    access,
    timing,
  }: { readonly client: ApiClient; readonly access: Access; readonly timing: Timing },
): AssembledCluster {
  const { namespaces } = access;
  const context: WatchOptions = { client, namespaces, timing, log: new WatchLog(options.log) };
  const absences = new KindAbsences(client, timing);
  const mapper = new RestMapper({ client, absences, timing });
  const feed = new ReplicaChangeFeed();
  const workloads = new WorkloadCache(context, feed);
  const replicaChanges = new ReplicaChangeWatch(feed, workloads);
  const metadata = new MetadataCaches(context);
  const ownerCaches = new OwnerCaches(metadata, workloads);
  const reader = new ScaleReader(client, mapper);
  const reached = new ReachedScales(timing);
  const customTargets = new CustomTargets({ metadata, absences, mapper, reader, feed, reached, timing });
  const writer = new ScaleWriter({ client, reader, timing });
  const retirer = new VersionRetirer(client, reader);
  const scales = new ScaleClient({
    ...{ workloads, customTargets, absences, reader, writer, retirer, reached, timing },
  });
  const pods = new PodCache(context);
  const autoscalerCache = new AutoscalerCache(context, scales);
  const serverVersion = new ServerVersion(client);
  // With a log of its own: a Role that does not allow these lists keeps no line of the other watches back.
  const watch = { ...context, log: new WatchLog(options.log) };
  const competing = new CompetingAutoscalers({ watch, mapper });
  const autoscalers = new AutoscalerClient({ client, cache: autoscalerCache, serverVersion, timing });
  const { ownerLifetimeSeconds = 900, ownerAbsenceSeconds = 10 } = options;
  const owners = new OwnerResolver({
    client,
    mapper,
    absences,
    caches: ownerCaches,
    timing,
    lifetimeMilliseconds: ownerLifetimeSeconds * 1000,
    absenceLifetimeMilliseconds: ownerAbsenceSeconds * 1000,
  });
  const objects = new ObjectReader({ client, mapper, timing });
  const events = new EventRecorder({ client, access, timing, log: options.log, component: 'plimsoll' });
  const caches = (): readonly Watching[] => [
    pods.watched,
    ...workloads.values(),
    ...metadata.values(),
    autoscalerCache.watched,
  ];
  const parts = { mapper, pods, owners, objects, scales, replicaChanges, autoscalers, serverVersion };
  return { ...parts, competing, events, caches, required: caches() };
}

function healthOf(
  { caches, competing, required, pods, owners, events }: AssembledCluster,
  timing: Timing,
): KubernetesHealth {
  const staleOf = ({ freshAt }: InformerStatus): number | undefined =>
    freshAt === undefined ? undefined : timing.elapsed() - freshAt;
  const statuses = [...caches(), competing].flatMap((cache) => cache.statuses);
  return {
    informers: statuses.map((status) => ({ ...status, staleMilliseconds: staleOf(status) })),
    unlisted: required.flatMap((cache) => cache.unlisted),
    pods: pods.watched.size,
    ownerCache: owners.counts,
    events: events.counts,
  };
}

/** What is done now and then: caches drop what is out of date, and what the cluster serves is looked at anew. */
function maintain({ owners, objects, serverVersion, competing }: AssembledCluster): void {
  owners.sweep();
  objects.sweep();
  void serverVersion.refresh();
  void competing.look();
}

async function waitUntilSynced(
  caches: readonly Watching[],
  timeoutMilliseconds: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  const all = Promise.all(caches.map((cache) => cache.whenSynced()));
  try {
    await withDeadline({ timeoutMilliseconds, signal, what: 'first list of the cluster' }, () => all);
  } catch (cause) {
    signal?.throwIfAborted();
    const why = caches
      .flatMap(({ unlisted }) => unlisted)
      .map(({ resource, lastFailure }) => `${resource} (${lastFailure?.message ?? 'no answer yet'})`);
    const message = `not listed within ${timeoutMilliseconds} ms: ${why.join(', ').slice(0, 1_000)}`;
    throw new AdapterError({ code: 'Timeout', message, retryable: true, cause });
  }
}
