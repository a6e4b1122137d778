import { beforeEach, describe, expect, it } from '@jest/globals';
import { FakeClock } from '../ports/clock.fake.ts';
import type { NamespaceMetrics } from '../ports/metrics.port.ts';
import { PolicyRuntime } from '../runtime/policy-runtime.ts';
import { anActivePolicy } from '../testing/a-policy.ts';
import { flushMicrotasks } from '../testing/a-world.ts';
import { beginPasses, type DuePass } from './begin-passes.ts';
import { PassWindows } from './pass-windows.ts';

const namespaces = 20;
const policies = 2_000;
const answerMilliseconds = 20;
const appendMilliseconds = 80;
const sweepMilliseconds = 2_500;
const stepMilliseconds = 10;
const nothing: NamespaceMetrics = {
  prepare: () => Promise.resolve(),
  presentMetrics: () => undefined,
  fetchMetrics: () => Promise.resolve([]),
};

describe('beginPasses', () => {
  let clock: FakeClock;
  let endedAt: Map<string, number>;
  let opened: number;

  beforeEach(() => {
    clock = new FakeClock();
    endedAt = new Map();
    opened = 0;
  });

  /** Every pass that its source answers is recorded, and ends. */
  async function run(due: readonly DuePass[], hanging: string | null): Promise<void> {
    const end = async ({ runtime }: DuePass): Promise<void> => {
      if (runtime.sources === hanging) return new Promise(() => undefined);
      await wait(answerMilliseconds);
      const append = wait(appendMilliseconds);
      runtime.trackAppend(append);
      await append;
      endedAt.set(runtime.key, clock.monotonicMilliseconds());
    };
    const wait = (milliseconds: number): Promise<void> =>
      new Promise((resolve) => clock.schedule(milliseconds, resolve));
    const openNamespace = (): NamespaceMetrics => {
      opened += 1;
      return nothing;
    };
    const begin = (pass: DuePass): Promise<void> => end(pass);
    void beginPasses(due, { clock, windows: new PassWindows(clock), tick: { openNamespace }, begin });
    for (let elapsed = 0; elapsed < sweepMilliseconds; elapsed += stepMilliseconds) {
      await flushMicrotasks();
      clock.advance(stepMilliseconds);
    }
  }

  it.each([50, 80, 95])(
    'lets passes begin as if nothing hanged where the source of %i %% of the policies does',
    async (percent) => {
      const due = Array.from({ length: policies }, (_, index) =>
        aDuePass(index, index % 100 < percent ? 'sick' : 'well'),
      );
      await run(due, null);
      const before = endedAt;
      endedAt = new Map();
      await run(due, 'prometheus/sick');
      const delays = [...endedAt].map(
        ([key, at]) => at - sweepMilliseconds - (before.get(key) ?? Number.NaN),
      );
      expect(delays).toHaveLength((policies / 100) * (100 - percent));
      expect(Math.max(...delays)).toBeLessThan(100);
    },
  );

  it('opens the metrics of a namespace once for all of its passes, whatever they wait for', async () => {
    await run(
      Array.from({ length: 200 }, (_, index) => aDuePass(index, index % 3 === 0 ? 'sick' : 'well')),
      null,
    );
    expect(endedAt.size).toBe(200);
    expect(opened).toBe(namespaces);
  });
});

describe('beginPasses, of two sweeps', () => {
  it('waits for none of its own where some of its passes are first ones', async () => {
    const clock = new FakeClock();
    const begun: string[] = [];
    const due = [0, 1].map((index) => ({ ...aDuePass(index, 'one', index), isFirst: index === 0 }));
    const begin = ({ runtime }: DuePass): Promise<void> => {
      begun.push(runtime.key);
      return Promise.resolve();
    };
    await beginPasses(due, {
      clock,
      windows: new PassWindows(clock),
      tick: { openNamespace: () => nothing },
      begin,
    });
    expect(begun).toEqual(['team-0/web-0', 'team-1/web-1']);
  });

  it('begins first passes before the regular ones that wait since the sweep before', async () => {
    const clock = new FakeClock();
    const windows = new PassWindows(clock);
    const begun: string[] = [];
    const ends: (() => void)[] = [];
    const begin = ({ isFirst }: DuePass): Promise<void> => {
      const what = isFirst ? 'first' : 'regular';
      if (begun.at(-1) !== what) begun.push(what);
      const { promise, resolve } = Promise.withResolvers<undefined>();
      ends.push(() => resolve(undefined));
      return promise;
    };
    const tick = { openNamespace: () => nothing };
    const sweep = (isFirst: boolean): void => {
      const due = Array.from({ length: policies }, (_, index) => ({ ...aDuePass(index, 'one'), isFirst }));
      void beginPasses(due, { clock, windows, tick, begin });
    };
    const proceed = async (): Promise<void> => {
      for (let turn = 0; turn < 50; turn += 1) await flushMicrotasks();
    };
    sweep(false);
    await proceed();
    sweep(true);
    await proceed();
    while (ends.length > 0) {
      for (const end of ends.splice(0, 32)) end();
      await proceed();
    }
    // The chunk of regular ones that waited for room first keeps its turn.
    expect(begun.filter((what, index) => index === 0 || begun[index - 1] !== what)).toEqual([
      'regular',
      'first',
      'regular',
    ]);
  });
});

describe('beginPasses, by what is read of a namespace', () => {
  const clock = new FakeClock();
  const perNamespace = 100;

  /** What happened, in order: `asked N`, `begun N` with the passes of namespace N that began together. */
  async function begin(
    prepare: (namespace: number, server: string) => Promise<unknown>,
    sources = ['one'],
  ): Promise<string[]> {
    const events: string[] = [];
    const due = sources.flatMap((server) =>
      Array.from({ length: 3 * perNamespace }, (_, index) =>
        aDuePass(index + 7 * namespaces * sources.indexOf(server), server, Math.floor(index / perNamespace)),
      ),
    );
    let opened = 0;
    const openNamespace = (): NamespaceMetrics => {
      const namespace = opened;
      opened += 1;
      const ask: NamespaceMetrics['prepare'] = async ([policy]) => {
        const [metric] = policy?.metrics ?? [];
        events.push(`asked ${namespace}`);
        await prepare(namespace, metric?.type === 'Prometheus' ? metric.server : '');
      };
      return { ...nothing, prepare: ask };
    };
    const note = ({ runtime }: DuePass): Promise<void> => {
      const event = `${runtime.sources} ${runtime.target.namespace}`;
      if (events.at(-1) !== event) events.push(event);
      return Promise.resolve();
    };
    void beginPasses(due, {
      clock,
      windows: new PassWindows(clock),
      tick: { openNamespace },
      begin: note,
    });
    for (let turn = 0; turn < 200; turn += 1) await flushMicrotasks();
    return events;
  }

  it('asks for the next namespace before the passes of one begin, and for no more', async () => {
    expect(await begin(() => Promise.resolve())).toEqual([
      'asked 0',
      'asked 1',
      'prometheus/one team-0',
      'asked 2',
      'prometheus/one team-1',
      'prometheus/one team-2',
    ]);
  });

  it('keeps passes that wait for other sources in the same namespaces', async () => {
    const events = await begin(() => Promise.resolve(), ['one', 'two']);
    const begun = events.filter((event) => !event.startsWith('asked'));
    const place = (event: string): number => begun.indexOf(event);
    expect(place('prometheus/one team-0')).toBeLessThan(place('prometheus/two team-2'));
    expect(place('prometheus/two team-0')).toBeLessThan(place('prometheus/one team-2'));
  });

  it('asks for more at a time where that takes longer than 40 ms', async () => {
    const answers = [0, 1, 2].map(() => Promise.withResolvers<undefined>());
    const events = await begin((namespace) => answers[namespace]?.promise ?? Promise.resolve());
    expect(events).toEqual(['asked 0', 'asked 1']);
    await pass(40);
    answers[0]?.resolve(undefined);
    await pass(0);
    expect(events.splice(2)).toEqual(['prometheus/one team-0', 'asked 2']);
  });

  it('waits for what hangs once in a sweep, for 500 ms at most', async () => {
    const events = await begin(() => new Promise(() => undefined));
    await pass(40);
    await pass(459);
    expect(events).toEqual(['asked 0', 'asked 1']);
    await pass(1);
    const begun = events.filter((event) => !event.startsWith('asked'));
    expect(begun).toEqual(['prometheus/one team-0', 'prometheus/one team-1', 'prometheus/one team-2']);
  });

  it('lets passes of other sources begin while what some wait for hangs', async () => {
    const hanging = new Promise(() => undefined);
    const answer = (_: number, server: string): Promise<unknown> =>
      server === 'one' ? hanging : Promise.resolve();
    const events = await begin(answer, ['one', 'two']);
    await pass(40);
    const begun = events.filter((event) => !event.startsWith('asked'));
    expect(begun).toEqual(['prometheus/two team-0', 'prometheus/two team-1', 'prometheus/two team-2']);
  });

  async function pass(milliseconds: number): Promise<void> {
    clock.advance(milliseconds);
    for (let turn = 0; turn < 200; turn += 1) await flushMicrotasks();
  }
});

function aDuePass(index: number, server: string, inNamespace = Math.floor(index / 7) % namespaces): DuePass {
  const target = { type: 'Value', valueMilli: 1n } as const;
  const metric = { type: 'Prometheus', server, query: 'load', target, targetDocument: {} } as const;
  const namespace = `team-${inNamespace}`;
  const active = anActivePolicy({ namespace, name: `web-${index}`, metrics: [metric] });
  return { runtime: new PolicyRuntime(active), isEarly: false, isFirst: true };
}
