import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { LoopbackLink } from '../../support/loopback-link.ts';
import { type ControllerProcess, startControllerProcess } from './controller-process.ts';
import type { HoldingProxy } from './holding-proxy.ts';
import type { ShopWorld } from './shop-world.ts';

/** Where replicas run, and what they have in common. */
export interface ReplicaPlace {
  readonly folder: string;
  readonly configuration: object;
  /** Of the API server. */
  readonly clusterUrl: string;
  /** With which a replica reaches the API server at that URL. */
  readonly kubeconfigOf: (replica: string) => Promise<string>;
  readonly databaseUrl: string;
  /** Of the configuration of one replica alone. */
  readonly configurationOf?: ((replica: string) => object) | undefined;
}

/** A process of a replica. */
export interface ReplicaRun {
  readonly process: ControllerProcess;
}

/** A controller that shares a database with others, and reaches it and the API server by links of its own. */
export interface Replica {
  readonly name: string;
  readonly database: LoopbackLink;
  readonly cluster: LoopbackLink;
  /** Its processes, the first one first. */
  readonly runs: readonly ReplicaRun[];
  /** The process that runs, or ran last. */
  readonly process: () => ControllerProcess;
  /** Starts it, with a clock that is off by so many seconds. */
  readonly start: (clockOffsetSeconds?: number) => Promise<void>;
  /** Sets its clock off by so many seconds, while it runs. */
  readonly setClock: (clockOffsetSeconds: number) => Promise<void>;
  /** Starts it where its process has ended by itself, as a kubelet does. */
  readonly revive: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Others carry its policies out meanwhile: how long a start takes on a machine that is busy is nothing that a trial is about. */
export const startTimeoutMilliseconds = 150_000;

const clockOffset = pathToFileURL(join(import.meta.dirname, '../../adversarial/storm/clock-offset.mjs')).href;

/** Makes a replica, which does not run yet. */
export async function makeReplica(place: ReplicaPlace, name: string): Promise<Replica> {
  const folder = join(place.folder, name);
  await mkdir(folder, { recursive: true });
  const database = await LoopbackLink.start(Number(new URL(place.databaseUrl).port));
  const cluster = await LoopbackLink.start(Number(new URL(place.clusterUrl).port));
  const kubeconfig = join(folder, 'kubeconfig');
  const own = cluster.urlOf(place.clusterUrl).replace(/\/$/, '');
  await writeFile(kubeconfig, (await place.kubeconfigOf(name)).replaceAll(place.clusterUrl, own));
  const configuration = {
    ...place.configuration,
    ...place.configurationOf?.(name),
    cluster: { name: 'e2e', kubeconfig },
    dataFolder: join(folder, 'data'),
    database: { url: database.urlOf(place.databaseUrl) },
  };
  const runs: ReplicaRun[] = [];
  const process = (): ControllerProcess => {
    const last = runs.at(-1);
    if (last === undefined) throw new Error(`${name} was not started`);
    return last.process;
  };
  const offsetFile = join(folder, 'clock-offset');
  const setClock = (seconds: number): Promise<void> => writeFile(offsetFile, String(seconds * 1_000));
  const start = async (clockOffsetSeconds = 0): Promise<void> => {
    await setClock(clockOffsetSeconds);
    const environment = {
      NODE_OPTIONS: `--import ${clockOffset}`,
      TEST_CLOCK_OFFSET_FILE: offsetFile,
      TEST_CLOCK_OFFSET_SAID: '1',
    };
    const options = {
      until: 'Listening',
      environment,
      timeoutMilliseconds: startTimeoutMilliseconds,
    } as const;
    runs.push({ process: await startControllerProcess(folder, configuration, options) });
  };
  return {
    name,
    database,
    cluster,
    runs,
    process,
    start,
    setClock,
    revive: async () => {
      if (process().hasEnded) await start();
    },
    close: async () => {
      await runs.at(-1)?.process.kill();
      await database.close();
      await cluster.close();
    },
  };
}

/** The same by way of a proxy, which knows who the replica is. */
export function behindProxy(place: ReplicaPlace, { url }: Pick<HoldingProxy, 'url'>): ReplicaPlace {
  const kubeconfig = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'proxy', cluster: { server: url } }],
    users: [{ name: 'proxy', user: {} }],
    contexts: [{ name: 'proxy', context: { cluster: 'proxy', user: 'proxy' } }],
    'current-context': 'proxy',
  };
  return { ...place, clusterUrl: url, kubeconfigOf: () => Promise.resolve(JSON.stringify(kubeconfig)) };
}

/** Beside a simulated cluster. */
export function shopPlace(world: ShopWorld, databaseUrl: string, changes: object = {}): ReplicaPlace {
  return {
    folder: world.folder,
    configuration: { ...world.configuration, ...changes },
    clusterUrl: world.proxy.url,
    kubeconfigOf: () => readFile(join(world.folder, 'kubeconfig'), 'utf8'),
    databaseUrl,
  };
}
