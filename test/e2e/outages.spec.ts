import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import Database from 'better-sqlite3';
import { LoopbackLink } from '../support/loopback-link.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import type { TestStandby } from '../support/postgres-standby.ts';
import type { ControllerProcess } from './support/controller-process.ts';
import { loadEntriesOf } from './support/load-entries.ts';
import {
  outcomesOf,
  policyOf,
  recordChanges,
  recordedChanges,
  setLoad,
  targets,
} from './support/replica-changes.ts';
import { type ShopWorld, startShopWorld } from './support/shop-world.ts';
import { soon } from './support/soon.ts';

jest.setTimeout(180_000);

/** More of them, those that are noticed only after a wait among them: `OUTAGES=all npm run jest -- test/e2e/outages.spec.ts`. */
const hasAll = process.env['OUTAGES'] === 'all';

/** A database that takes nothing for a while. */
interface Outage {
  readonly begin: (controller: ControllerProcess) => unknown;
  readonly end: () => unknown;
  /** What `/readyz` names meanwhile; empty: nothing, since requests wait for their answer still. */
  readonly degraded: readonly string[];
}

interface Place {
  readonly url: string;
  readonly outages: readonly Outage[];
}

const ledgerAlone = ['ledger'];

/** Outages of a SQLite file: locked by another program, and on a file system without writes, with its journal or not. */
function sqlitePlace({ folder }: ShopWorld): Place {
  const place = join(folder, 'database');
  mkdirSync(place);
  const file = join(place, 'ledger.db');
  let other: Database.Database | undefined;
  const probe = `${file}.probe`;
  const readOnly = (folders: readonly string[], degraded: readonly string[]): Outage => ({
    // A file system becomes read-only at once; file by file, the one that is looked at before each request comes first.
    begin: async (controller) => {
      setImmutable('+i', [probe]);
      await untilDegraded(controller, ledgerAlone);
      setImmutable('+i', folders.flatMap(withFiles));
    },
    end: () => {
      setImmutable('-i', folders.flatMap(withFiles));
      return undefined;
    },
    degraded,
  });
  const locked: Outage = {
    begin: () => {
      other = new Database(file);
      other.exec('BEGIN IMMEDIATE');
      return undefined;
    },
    end: () => {
      other?.close();
      return undefined;
    },
    degraded: ledgerAlone,
  };
  const outages = hasAll ? [locked] : [];
  if (mayMakeImmutable(place)) {
    if (hasAll) outages.push(readOnly([place], ledgerAlone));
    outages.push(readOnly([place, join(folder, 'data')], ['ledger', 'journal']));
  }
  return { url: `sqlite:${file}`, outages: outages.length > 0 ? outages : [locked] };
}

/** The folder, and the files in it by name: `.probe` comes last of those of a database. */
function withFiles(folder: string): readonly string[] {
  const files = readdirSync(folder, { withFileTypes: true }).filter((found) => found.isFile());
  return [folder, ...files.map(({ name }) => join(folder, name)).sort()];
}

function setImmutable(flag: '+i' | '-i', paths: readonly string[]): boolean {
  return spawnSync('chattr', [flag, ...paths]).status === 0;
}

/** Root may, where the file system can. */
function mayMakeImmutable(folder: string): boolean {
  const isMade = setImmutable('+i', [folder]);
  setImmutable('-i', [folder]);
  return isMade;
}

describe('through the outages of its database a controller writes nothing, and has a record that is the API server’s own', () => {
  let world: ShopWorld | undefined;
  let postgres: TestPostgres;
  let address: LoopbackLink;
  let standby: TestStandby | undefined;

  beforeAll(async () => {
    postgres = await startPostgres();
    address = await LoopbackLink.start(postgres.port);
  }, 60_000);
  afterEach(() => world?.stop());
  afterAll(async () => {
    await address.close();
    await postgres.stop();
  });

  const crash: Outage = {
    begin: () => postgres.crash(),
    end: () => postgres.restart(),
    degraded: ledgerAlone,
  };
  /** Comes last: what follows on the first server is another history. */
  const failover: Outage = {
    begin: async () => {
      standby = await postgres.startStandby();
      await standby.hasAll();
      await postgres.crash();
    },
    end: async () => {
      await standby?.promote();
      if (standby !== undefined) address.leadTo(standby.port);
    },
    degraded: ledgerAlone,
  };
  const places: Readonly<Record<string, (world: ShopWorld) => Place | Promise<Place>>> = {
    SQLite: sqlitePlace,
    PostgreSQL: async () => ({
      url: address.urlOf(await postgres.createDatabase('outages')),
      outages: [
        crash,
        ...(hasAll
          ? [
              {
                begin: () => postgres.pause(),
                end: () => postgres.resume(),
                degraded: [],
              },
              crash,
              failover,
            ]
          : []),
      ],
    }),
  };

  it.each(Object.keys(places))('%s', async (name) => {
    world = await startShopWorld();
    const { simulator, repository, proxy } = world;
    const made = recordChanges(world, targets);
    const { url, outages } = await places[name]!(world);
    repository.commit(
      'First',
      Object.fromEntries(targets.map((target) => [`${target}.yaml`, policyOf(target)])),
    );
    const controller = await world.startController({ database: { url } });
    const reaches = (target: string, count: number): Promise<true> =>
      soon(`${target} has ${count}`, () => (replicasOf(world!, target) === count ? true : undefined));
    for (const [index, outage] of outages.entries()) {
      const [load, foreign] = [6 + index, 9 + index];
      for (const target of targets) setLoad(world, target, load);
      for (const target of targets) await reaches(target, load);
      await outage.begin(controller);
      try {
        const writes = proxy.writes.length;
        setLoad(world, 'left', load + 3);
        simulator.objects.scale(targetOf('right'), foreign, 'kubectl');
        if (outage.degraded.length > 0) await untilDegraded(controller, outage.degraded);
        const passes = await passesOf(controller);
        await soon('passes that go on', async () => (await passesOf(controller)) >= passes + 4 || undefined);
        expect(proxy.writes.slice(writes).filter((write) => write.includes('/scale'))).toEqual([]);
        expect(replicasOf(world, 'left')).toBe(load);
        expect(replicasOf(world, 'right')).toBe(foreign);
      } finally {
        await outage.end();
      }
      await reaches('left', load + 3);
      await reaches('right', load);
      await untilDegraded(controller, []);
    }
    expect(await controller.stop()).toBe(0);
    expect(await recordedChanges(url)).toEqual(made.toSorted());
    const { intents, outcomes } = outcomesOf(await loadEntriesOf(url));
    expect(intents.length).toBeGreaterThan(0);
    expect(outcomes).toEqual(intents);
  });
});

const targetOf = (name: string) => ({ apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name });

function replicasOf({ simulator }: ShopWorld, name: string): unknown {
  const spec: unknown = simulator.objects.find(targetOf(name))?.['spec'];
  return Reflect.get(Object(spec) as object, 'replicas');
}

function untilDegraded({ url }: ControllerProcess, what: readonly string[]): Promise<true> {
  return soon(`degraded: ${what.join()}`, async () => {
    const answer = await fetch(`${url}/readyz`);
    expect(answer.status).toBe(200);
    const report = (await answer.json()) as { readonly degraded: readonly { readonly what: string }[] };
    const found = report.degraded.map((each) => each.what).filter((each) => each !== 'checkpoints');
    return JSON.stringify(found) === JSON.stringify(what) ? true : undefined;
  });
}

/** How many passes there were, whatever they came to. */
async function passesOf({ log }: ControllerProcess): Promise<number> {
  const url = String(log.findLast(({ metricsUrl }) => metricsUrl !== undefined)?.['metricsUrl']);
  const lines = (await (await fetch(url)).text()).split('\n');
  const counts = lines.filter((line) => line.startsWith('plimsoll_reconciliations_total{'));
  return counts.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}
