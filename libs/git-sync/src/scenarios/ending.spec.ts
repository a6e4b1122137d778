import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { AdapterError, runInTimeSlices } from '#kernel';
import { endingInTurns } from '../setup/ending-in-turns.ts';
import type { SyncPorts } from '../setup/sync-ports.ts';
import { MemoryBench, request } from '../testing/memory-bench.ts';
import { policyYaml } from '../testing/policy-yaml.ts';

const names = ['a', 'b', 'c', 'd', 'e'];

/** A file per policy, each with this maximum. */
const filesOf = (max: number): Readonly<Record<string, string>> =>
  Object.fromEntries(names.map((name) => [`${name}.yaml`, policyYaml(name, { max })]));

const boundsOf = (max: number): readonly string[] => names.map((name) => `shop/${name} 1-${max}`);

let bench: MemoryBench;
let process: AbortController;

const end = (): void =>
  process.abort(new AdapterError({ code: 'Closed', message: 'ending', retryable: true }));

beforeEach(async () => {
  bench = new MemoryBench();
  process = new AbortController();
  await bench.commit(filesOf(10));
  for (const name of names) bench.replicas.set(`shop/${name}`, 2);
  bench.ending = process.signal;
  bench.journal.batchEntries = 2;
});

/** The process of the source, of whose ports some are others. */
async function restartWith(changed: (ports: SyncPorts) => Partial<SyncPorts>): Promise<void> {
  const ports = bench.ports();
  const changing = jest
    .spyOn(bench, 'ports')
    .mockImplementation(() => ({ ...ports, ...changed(ports), active: bench.active }));
  await bench.restart();
  changing.mockRestore();
}

/** Changes since the first commit. */
const recorded = (): readonly string[] =>
  bench.journal.changes.slice(names.length).map(({ policy }) => policy.name);

describe('a sync whose process ends', () => {
  const moments: readonly {
    readonly when: string;
    readonly ports: (ports: SyncPorts) => Partial<SyncPorts>;
    readonly isInForce: boolean;
  }[] = [
    {
      when: 'while files are parsed',
      isInForce: false,
      ports: ({ parser }) => ({
        parser: {
          batchesAtOnce: 1,
          parseOverlays: (batch) => parser.parseOverlays(batch),
          parse: (batch) => {
            end();
            return parser.parse(batch);
          },
        },
      }),
    },
    {
      when: 'while counts are asked for',
      isInForce: false,
      ports: ({ presentReplicas }) => ({
        presentReplicas: (policies) => {
          end();
          return presentReplicas(policies);
        },
      }),
    },
    {
      when: 'while Git keeps the commit',
      isInForce: false,
      ports: ({ git }) => ({
        git: {
          open: async (location) => {
            const repository = await git.open(location);
            const keep = (...given: Parameters<typeof repository.keep>): Promise<void> => {
              end();
              return repository.keep(...given);
            };
            return Object.assign(Object.create(repository) as typeof repository, { keep });
          },
        },
      }),
    },
    {
      when: 'while what it changes is stored',
      isInForce: true,
      ports: ({ store }) => ({
        store: Object.assign(Object.create(store) as SyncPorts['store'], {
          save: async (...[change]: Parameters<SyncPorts['store']['save']>) => {
            if (change.put.length > 0) end();
            await store.save(change);
          },
        }),
      }),
    },
  ];

  it.each(moments)(
    '$when puts all or nothing into force, and records nothing more',
    async ({ ports, isInForce }) => {
      const entries = bench.journal.entries.length;
      await restartWith(ports);
      await bench.commit(filesOf(20));
      expect(bench.last).toMatchObject({ result: 'failed', message: expect.stringMatching(/^Closed: /) });
      expect(bench.bounds()).toEqual(boundsOf(isInForce ? 20 : 10));
      expect(bench.journal.entries).toHaveLength(entries);
      await goOn();
      expect(recorded()).toEqual(names);
    },
  );

  it('between two batches of its entries stores no further one, and the next process records the rest once', async () => {
    await bench.restart();
    bench.journal.onStored = end;
    await bench.commit(filesOf(20));
    expect(bench.last).toMatchObject({
      result: 'failed',
      message: expect.stringContaining('not in the ledger yet'),
    });
    expect(recorded()).toEqual(['a']);
    await goOn();
    expect(recorded().toSorted()).toEqual(names);
    expect(bench.journal.runs).toHaveLength(2);
  });

  it('begins no look, and tells of no failure in the ledger', async () => {
    const entries = bench.journal.entries.length;
    await bench.restart();
    end();
    await bench.commit(filesOf(20));
    expect(bench.last?.message).toBe('Closed: ending');
    expect(bench.journal.entries).toHaveLength(entries);
    expect((await bench.sync.resume(request)).result).toBe('failed');
    await goOn();
    expect(recorded()).toEqual(names);
  });

  /** As another process does. */
  async function goOn(): Promise<void> {
    bench.ending = undefined;
    bench.journal.onStored = () => undefined;
    await bench.restart();
    await bench.look();
    await bench.look();
    expect(bench.bounds()).toEqual(boundsOf(20));
  }
});

describe('work in slices', () => {
  it('stops at the next slice once the process ends', async () => {
    const { clock } = endingInTurns(bench.ports());
    let done = 0;
    function* steps(): Generator<void, void, void> {
      for (;;) {
        done += 1;
        bench.clock.advance(15);
        if (done === 5) end();
        yield;
      }
    }
    await expect(runInTimeSlices(steps(), clock, 'work')).rejects.toThrow('ending');
    expect(done).toBe(6);
  });
});
