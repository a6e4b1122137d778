import { beforeEach, describe, expect, it } from '@jest/globals';
import type { RevisionChange } from '../ports/revision-store.port.ts';
import type { SyncJournalFault } from '../ports/sync-journal.fake.ts';
import { MemoryBench, request } from '../testing/memory-bench.ts';
import { policyYaml } from '../testing/policy-yaml.ts';

const annotated = (name: string, annotation: string): string =>
  policyYaml(name).replace('metadata:\n', `metadata:\n  annotations: { ${annotation} }\n`);
const kept = annotated('kept', 'plimsoll.dev/prune: disabled');
const releasing = annotated('released', 'plimsoll.dev/release: "true"');

const files = {
  'changed.yaml': policyYaml('changed'),
  'pruned.yaml': policyYaml('pruned'),
  'kept.yaml': kept,
  'released.yaml': policyYaml('released'),
  'same.yaml': policyYaml('same'),
  'other.yaml': policyYaml('other'),
};
const changes = {
  'changed.yaml': policyYaml('changed', { max: 20 }),
  'pruned.yaml': null,
  'kept.yaml': null,
  'released.yaml': releasing,
  'new.yaml': policyYaml('new', { max: 7 }),
};

let bench: MemoryBench;
let first: string;

beforeEach(async () => {
  bench = new MemoryBench();
  first = await bench.commit(files);
  for (const name of ['changed', 'pruned', 'kept', 'released', 'same', 'other'])
    bench.replicas.set(`shop/${name}`, 2);
});

/** Each change since the first commit as `name before-after departure commit`, in the ledger's order. */
function recorded(): readonly string[] {
  return bench.journal.changes
    .slice(6)
    .map(
      ({ policy, before, after, departure, commit }) =>
        `${policy.name} ${maximum(before)}-${maximum(after)} ${String(departure)} ${commit?.hash === first ? 'first' : 'later'}`,
    )
    .sort();
}

function maximum(document: unknown): string {
  const { spec } = (document ?? { spec: {} }) as { readonly spec: { readonly maxReplicas?: number } };
  return String(spec.maxReplicas ?? 'none');
}

const expected = [
  'changed 10-20 null later',
  'kept 10-none Kept later',
  'new none-7 null later',
  'pruned 10-none Pruned later',
  'released 10-none Released later',
];

/** What is in the journal, a word an entry. */
function order(): readonly string[] {
  return bench.journal.entries.map((entry) =>
    'run' in entry ? entry.run.outcome : entry.change.policy.name,
  );
}

async function marks(): Promise<readonly (string | undefined)[]> {
  return (await bench.store.listSources()).map(({ unrecorded }) => unrecorded?.run.outcome);
}

describe('a run whose entries did not reach the ledger', () => {
  const whens: readonly { readonly name: string; readonly next: () => Promise<unknown> }[] = [
    { name: 'with the next look', next: () => bench.look() },
    { name: 'after a restart', next: () => bench.restart().then(() => bench.look()) },
    {
      name: 'after a restart while Git is down',
      next: async () => {
        bench.origin.isDown = true;
        await bench.restart();
        await bench.look();
      },
    },
  ];
  const faults: readonly { readonly name: string; readonly faults: readonly (SyncJournalFault | null)[] }[] =
    [
      { name: 'it was refused', faults: ['Refused'] },
      { name: 'it was refused twice', faults: ['Refused', 'Refused'] },
      { name: 'its second batch was refused', faults: [null, 'Refused'] },
      { name: 'its last batch was refused', faults: [null, null, 'Refused'] },
      { name: 'the answer that it was stored is lost', faults: ['LostAfterStoring'] },
    ];

  describe.each(whens)('is recorded $name', ({ next }) => {
    it.each(faults)('exactly once where $name', async ({ faults: given }) => {
      bench.journal.batchEntries = 2;
      bench.journal.faults.push(...given);
      await bench.commit(changes);
      expect(bench.last).toMatchObject({
        result: 'failed',
        message: expect.stringContaining('not in the ledger yet'),
      });
      expect(bench.bounds()).toContain('shop/changed 1-20');
      await expect(marks()).resolves.toEqual(['active']);
      await next();
      await next();
      expect(recorded()).toEqual(expected);
      const runs = bench.journal.runs.filter(({ outcome }) => outcome === 'active');
      expect(runs.map(({ commit }) => commit?.hash === first)).toEqual([true, false]);
      expect(order()[7]).toBe('active');
      await expect(marks()).resolves.toEqual([undefined]);
    });
  });

  it('has the time at which it took effect', async () => {
    bench.journal.faults.push('Refused');
    await bench.commit(changes);
    const then = bench.clock.now();
    await bench.look();
    expect(bench.clock.now()).not.toBe(then);
    expect(new Set(bench.journal.entries.slice(7).map(({ time }) => time))).toEqual(new Set([then]));
  });

  it('is recorded before the next one, and that only after it', async () => {
    bench.journal.faults.push('Refused', 'Refused');
    await bench.commit({ 'changed.yaml': policyYaml('changed', { max: 20 }) });
    await bench.commit({ 'changed.yaml': policyYaml('changed', { max: 30 }) });
    expect(bench.last?.result).toBe('failed');
    expect(bench.bounds()).toContain('shop/changed 1-20');
    await bench.look();
    expect(bench.bounds()).toContain('shop/changed 1-30');
    expect(recorded()).toEqual(['changed 10-20 null later', 'changed 20-30 null later']);
    expect(order().slice(7)).toEqual(['active', 'changed', 'active', 'changed']);
  });

  it('is recorded before a rollback, and a rollback is, too', async () => {
    bench.journal.faults.push('Refused');
    await bench.commit(changes);
    await bench.rollBack(first);
    expect(bench.last?.result).toBe('active');
    const back = [
      'changed 20-10 null first',
      'kept none-10 null first',
      'new 7-none RolledBack first',
      'pruned none-10 null first',
      'released none-10 null first',
    ];
    expect(recorded()).toEqual([...expected, ...back].sort());
    bench.clock.advance(60_000);
    await bench.sync.resume(request);
    bench.journal.faults.push(null, 'Refused');
    bench.journal.batchEntries = 3;
    const before = bench.journal.changes.length;
    await bench.rollBack(first);
    expect(bench.last).toMatchObject({ result: 'failed', message: expect.stringContaining('QueueFull') });
    expect(bench.bounds()).toContain('shop/changed 1-10');
    await bench.restart();
    await bench.look();
    expect(
      bench.journal.changes
        .slice(before)
        .map(({ policy }) => policy.name)
        .sort(),
    ).toEqual(['changed', 'kept', 'new', 'pruned', 'released']);
  });

  it('is recorded where nothing came of the commit', async () => {
    bench.journal.faults.push('Refused');
    await bench.commit({ 'changed.yaml': 'kind: AutoscalingPolicy\napiVersion: [' });
    expect(bench.journal.runs).toHaveLength(1);
    await bench.look();
    await bench.look();
    expect(bench.journal.runs.map(({ outcome }) => outcome)).toEqual(['active', 'rejected']);
    expect(recorded()).toEqual([]);
  });

  it('keeps its mark through what operators decide meanwhile', async () => {
    bench.journal.faults.push('Refused', 'Refused');
    await bench.commit(changes);
    await bench.sync.release('shop/same', request);
    await bench.restart();
    await bench.look();
    expect(recorded()).toEqual([...expected, 'same 10-none Released later'].sort());
  });

  it('reports the failure, once, and records no failure before it', async () => {
    const outcomes: string[] = [];
    bench.onEnded = ({ result }) => outcomes.push(result);
    await bench.restart();
    bench.journal.faults.push('Refused', 'Refused', 'Refused');
    await bench.commit(changes);
    await bench.look();
    await bench.look();
    expect(outcomes).toEqual(['failed']);
    expect(order()).toHaveLength(7);
    await bench.look();
    expect(outcomes).toEqual(['failed', 'unchanged']);
  });

  it('makes no source stale: its repository was looked at; one that cannot be does, and stays so meanwhile', async () => {
    await bench.restart();
    bench.journal.faults.push('Refused', 'Refused', 'Refused', 'Refused');
    await bench.commit(changes);
    expect(bench.sync.lastSync).toMatchObject({
      staleSince: null,
      outcome: {
        result: 'failed',
        message:
          'QueueFull: the run took effect and is not in the ledger yet; the next look records it: it answers too slowly',
        unstored: 'the entries were not stored',
      },
    });
    await bench.look();
    expect(bench.sync.lastSync?.staleSince).toBeNull();
  });

  it('of a source that left the configuration is recorded at the next start', async () => {
    const retired = await bench.retired();
    bench.clock.advance(60_000);
    bench.journal.faults.push('Refused');
    const outcome = await retired.approve(retired.holds()[0]?.digest ?? '', request);
    expect(outcome).toMatchObject({
      result: 'failed',
      message: expect.stringContaining('not in the ledger yet'),
    });
    expect(bench.journal.runs).toHaveLength(1);
    await bench.retired();
    await bench.retired();
    expect(bench.journal.runs).toHaveLength(2);
    expect(recorded()).toEqual(
      ['changed', 'kept', 'other', 'pruned', 'released', 'same'].map(
        (name) => `${name} 10-none ${name === 'kept' ? 'Kept' : 'SourceRemoved'} first`,
      ),
    );
    await expect(marks()).resolves.toEqual([undefined]);
  });
});

describe('a run that was recorded', () => {
  it.each([
    { name: 'at the next look', restarts: 0 },
    { name: 'after a restart', restarts: 1 },
  ])('is not recorded again $name where its mark could not be taken off', async ({ restarts }) => {
    const { save } = bench.store;
    const store = Object.assign(bench.store, {
      save: (change: RevisionChange) =>
        change.state.unrecorded === undefined ? Promise.reject(new Error('disk full')) : save(change),
    });
    await bench.commit(changes);
    expect(bench.last).toMatchObject({ result: 'failed', message: 'Bug: disk full' });
    Object.assign(store, { save });
    for (let count = 0; count < restarts; count += 1) await bench.restart();
    await bench.look();
    expect(bench.last?.result).toBe('unchanged');
    expect(recorded()).toEqual(expected);
    expect(bench.journal.runs).toHaveLength(2);
    await expect(marks()).resolves.toEqual([undefined]);
  });

  it('leaves no mark', async () => {
    await bench.commit(changes);
    await expect(marks()).resolves.toEqual([undefined]);
    expect(recorded()).toEqual(expected);
  });
});
