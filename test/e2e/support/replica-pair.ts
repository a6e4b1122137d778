import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { LoopbackLink } from '../../support/loopback-link.ts';
import { type ControllerProcess, startControllerProcess } from './controller-process.ts';
import type { ShopWorld } from './shop-world.ts';

/** A controller that shares a database with others, and reaches it and the API server by links of its own. */
export interface Replica {
  readonly name: string;
  readonly database: LoopbackLink;
  readonly cluster: LoopbackLink;
  /** The process that runs, or ran last. */
  readonly process: () => ControllerProcess;
  /** Starts it, with a clock that is off by so many seconds. */
  readonly start: (clockOffsetSeconds?: number) => Promise<void>;
  readonly close: () => Promise<void>;
}

const clockOffset = pathToFileURL(join(import.meta.dirname, 'clock-offset.mjs')).href;

/** Makes a replica, which does not run yet. */
export async function makeReplica(world: ShopWorld, name: string, databaseUrl: string): Promise<Replica> {
  const folder = join(world.folder, name);
  await mkdir(folder);
  const database = await LoopbackLink.start(Number(new URL(databaseUrl).port));
  const cluster = await LoopbackLink.start(Number(new URL(world.proxy.url).port));
  const kubeconfig = join(folder, 'kubeconfig');
  const shared = await readFile(join(world.folder, 'kubeconfig'), 'utf8');
  const own = cluster.urlOf(world.proxy.url).replace(/\/$/, '');
  await writeFile(kubeconfig, shared.replaceAll(world.proxy.url, own));
  const configuration = {
    ...world.configuration,
    cluster: { name: 'e2e', kubeconfig },
    dataFolder: join(folder, 'data'),
    database: { url: database.urlOf(databaseUrl) },
  };
  let running: ControllerProcess | undefined;
  const process = (): ControllerProcess => {
    if (running === undefined) throw new Error(`${name} was not started`);
    return running;
  };
  return {
    name,
    database,
    cluster,
    process,
    start: async (clockOffsetSeconds = 0) => {
      const environment = {
        NODE_OPTIONS: `--import ${clockOffset}`,
        CLOCK_OFFSET_MILLISECONDS: String(clockOffsetSeconds * 1_000),
      };
      running = await startControllerProcess(folder, configuration, { until: 'Listening', environment });
    },
    close: async () => {
      await running?.kill();
      await database.close();
      await cluster.close();
    },
  };
}
