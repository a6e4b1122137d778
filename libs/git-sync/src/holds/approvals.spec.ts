import { beforeEach, describe, expect, it } from '@jest/globals';
import { mayApprove } from '../approve/may-approve.ts';
import type { FakeChanges } from '../ports/git.fake.ts';
import { MemoryBench, request } from '../testing/memory-bench.ts';
import { a, b, both, policyYaml } from '../testing/policy-yaml.ts';

const many = (count: number, max = 10): FakeChanges =>
  Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`p/${index}.yaml`, policyYaml(`p${index}`, { max })]),
  );

describe('holds and what people decide', () => {
  let bench: MemoryBench;

  beforeEach(() => {
    bench = new MemoryBench();
  });

  it('holds more targets than the blast radius, but not the first activation and not fewer', async () => {
    bench.origin.commit('First', many(20));
    await expect(bench.sync.sync()).resolves.toMatchObject({ result: 'active' });
    bench.origin.commit('Ten', many(10, 20));
    await expect(bench.sync.sync()).resolves.toMatchObject({ result: 'active' });
    bench.origin.commit('Eleven', many(11, 30));
    const held = await bench.sync.sync();
    expect(held).toMatchObject({ result: 'held', holds: [{ causes: [{ code: 'BlastRadius' }] }] });
    expect(bench.bounds().filter((text) => text.endsWith('30'))).toHaveLength(0);
  });

  it('activates exactly what was approved, and a newer commit of the same result keeps hold and approval', async () => {
    bench.origin.commit('First', { 'a.yaml': a });
    await bench.sync.sync();
    bench.origin.commit('Empty', { 'a.yaml': null });
    const [hold] = (await bench.sync.sync()).holds;
    bench.origin.commit('Beside', { 'README.md': 'x' });
    const [same] = (await bench.sync.sync()).holds;
    expect(same?.digest).toBe(hold?.digest);
    expect(same?.since).toBe(hold?.since);
    const approved = await bench.sync.approve(hold?.digest ?? '', request);
    expect(approved?.result).toBe('active');
    expect(bench.bounds()).toEqual([]);
  });

  it('keeps a rejected hold, which another commit replaces', async () => {
    bench.origin.commit('First', { 'a.yaml': a, 'b.yaml': b });
    await bench.sync.sync();
    bench.replicas.set('shop/a', 10);
    bench.origin.commit('Low', { 'a.yaml': policyYaml('a', { max: 2 }) });
    const [hold] = (await bench.sync.sync()).holds;
    await bench.sync.reject(hold?.digest ?? '', request);
    expect(bench.sync.holds()).toMatchObject([
      { isRejected: true, rejection: { by: 'olga', reason: 'looked at it', time: bench.clock.now() } },
    ]);
    expect(bench.sync.lastSync?.outcome).toMatchObject({ result: 'held', holds: [{ isRejected: true }] });
    expect(bench.sync.lastSync?.outcome.message).toMatch(/; rejected by olga \(looked at it\): 1 changed$/);
    if (hold === undefined) throw new Error('nothing is held');
    const participants = await bench.sync.participants(hold);
    expect(mayApprove({ name: 'olga', email: 'o@example.com' }, participants, 'Allowed')).toMatchObject({
      isAllowed: false,
      code: 'RejectedHold',
    });
    expect(mayApprove({ name: 'otto' }, participants, 'Allowed')).toEqual({ isAllowed: true });
    const again = await bench.sync.sync();
    expect(again.result).not.toBe('active');
    expect(again.message).toMatch(/; rejected by olga \(looked at it\): 1 changed$/);
    const asked = await bench.sync.sync();
    expect(asked).toMatchObject({ result: 'unchanged', holds: [{ isRejected: true }] });
    expect(asked.message).toBe(`still held: ${again.message}`);
    expect(bench.bounds()).toEqual(both);
    bench.origin.commit('Better', { 'a.yaml': policyYaml('a', { max: 8 }) });
    await expect(bench.sync.sync()).resolves.toMatchObject({ result: 'active', holds: [] });
  });

  it('says of a force-push what its approval would do', async () => {
    const change = (before: string | null, after: object | null, fields: readonly string[] = []): object => ({
      before: before === null ? null : { namespace: 'shop', name: before },
      after: after === null ? null : (expect.objectContaining({ namespace: 'shop', ...after }) as object),
      fields,
    });
    bench.origin.commit('First', { 'a.yaml': a, 'b.yaml': b });
    await bench.sync.sync();
    const forced = { 'a.yaml': policyYaml('a', { max: 20 }), 'b.yaml': null, 'c.yaml': policyYaml('c') };
    bench.origin.commit('Forced', forced, { parents: [] });
    const { holds, message } = await bench.sync.sync();
    expect(holds[0]?.effect).toEqual({
      added: 1,
      changed: 1,
      removed: 1,
      policies: ['shop/a changed: maxReplicas 10 → 20', 'shop/b gone', 'shop/c new'],
      changes: [
        change('a', { name: 'a', maxReplicas: 20 }, ['maxReplicas 10 → 20']),
        { ...change('b', null), keepsHpa: false },
        change(null, { name: 'c' }),
      ],
    });
    expect(message).toMatch(/^NotDescendant: .*; awaiting approval: 1 new, 1 changed and 1 gone$/);
  });

  it.each([
    { name: 'is deleted', force: {}, keepsHpa: false },
    { name: 'is deleted', force: { parents: [] }, keepsHpa: false },
    { name: 'says so', given: 'prune: disabled', force: {}, keepsHpa: true },
    { name: 'says so', given: 'prune: disabled', force: { parents: [] }, keepsHpa: true },
    { name: 'is released', then: 'release: "true"', force: {}, keepsHpa: true },
    { name: 'is released', then: 'release: "true"', force: { parents: [] }, keepsHpa: true },
  ])('knows whether the HPA of a policy that leaves is kept: it $name, $force', async (row) => {
    const noted = (note: string): string =>
      b.replace('metadata:\n', `metadata:\n  annotations: { plimsoll.dev/${note} }\n`);
    bench.origin.commit('First', { 'a.yaml': a, 'b.yaml': row.given === undefined ? b : noted(row.given) });
    await bench.sync.sync();
    bench.origin.commit(
      'Second',
      { 'a.yaml': a, 'b.yaml': row.then === undefined ? null : noted(row.then) },
      row.force,
    );
    const isHeld = 'parents' in row.force;
    const { effect } = isHeld
      ? { effect: (await bench.sync.sync()).holds[0]?.effect }
      : await bench.sync.rehearseSync();
    expect(effect?.changes).toEqual([
      { before: { namespace: 'shop', name: 'b' }, after: null, fields: [], keepsHpa: row.keepsHpa },
    ]);
  });

  it('holds a force-push until it is approved', async () => {
    bench.origin.commit('First', { 'a.yaml': a });
    await bench.sync.sync();
    bench.origin.commit('Forced', { 'a.yaml': policyYaml('a', { max: 20 }) }, { parents: [] });
    const held = await bench.sync.sync();
    expect(held).toMatchObject({ result: 'held', holds: [{ causes: [{ code: 'NotDescendant' }] }] });
    expect(bench.bounds()).toEqual(['shop/a 1-10']);
    await bench.sync.approve(held.holds[0]?.digest ?? '', request);
    expect(bench.bounds()).toEqual(['shop/a 1-20']);
  });

  it('holds a changed configuration by which a policy leaves', async () => {
    bench.origin.commit('First', { 'a.yaml': a, 'x/b.yaml': b });
    await bench.sync.sync();
    await bench.restart({ repository: { ...bench.configuration.repository, exclude: ['x'] } });
    const held = await bench.sync.sync();
    expect(held).toMatchObject({
      result: 'held',
      holds: [{ causes: [{ code: 'SourceChanged', items: ['shop/b'] }] }],
    });
    expect(bench.bounds()).toEqual(both);
    await bench.sync.approve(held.holds[0]?.digest ?? '', request);
    expect(bench.bounds()).toEqual(['shop/a 1-10']);
  });

  it('takes a changed configuration by which nothing leaves', async () => {
    bench.origin.commit('First', { 'a.yaml': a, 'x/b.yaml': b });
    await bench.sync.sync();
    await bench.restart({ repository: { ...bench.configuration.repository, exclude: ['y'] } });
    await expect(bench.sync.sync()).resolves.toMatchObject({ result: 'unchanged' });
  });

  it('rolls back while Git is down, and stays there until it is resumed', async () => {
    const first = bench.origin.commit('First', { 'a.yaml': a, 'b.yaml': b });
    await bench.sync.sync();
    bench.clock.advance(60_000);
    bench.origin.commit('Second', {
      'a.yaml': policyYaml('a', { max: 20 }),
      'c.yaml': policyYaml('c'),
    });
    await bench.sync.sync();
    bench.clock.advance(60_000);
    bench.origin.isDown = true;
    await bench.restart();
    bench.replicas.set('shop/a', 12);
    await bench.sync.rollBack(first, request);
    expect(bench.bounds()).toEqual(both);
    await bench.restart();
    expect(bench.bounds()).toEqual(both);
    bench.origin.isDown = false;
    await expect(bench.sync.sync()).resolves.toMatchObject({
      result: 'held',
      holds: [{ causes: [{ code: 'RolledBack' }] }],
      message: expect.stringMatching(/; until it is resumed: \d/),
    });
    expect(bench.bounds()).toEqual(both);
    await bench.sync.resume(request);
    expect(bench.bounds()).toEqual(['shop/a 1-20', 'shop/b 1-10', 'shop/c 1-10']);
  });

  it('releases a policy by name, and takes it back', async () => {
    bench.origin.commit('First', { 'a.yaml': a, 'b.yaml': b });
    await bench.sync.sync();
    await bench.sync.release('shop/a', request);
    expect(bench.bounds()).toEqual(['shop/b 1-10']);
    bench.origin.commit('Second', { 'a.yaml': policyYaml('a', { max: 20 }) });
    await bench.sync.sync();
    expect(bench.bounds()).toEqual(['shop/b 1-10']);
    expect(bench.sync.lastSync?.outcome.diagnostics).toMatchObject([
      { severity: 'warning', code: 'Released', file: 'a.yaml', line: 1 },
    ]);
    await bench.sync.resume({ ...request, policy: 'shop/a' });
    expect(bench.bounds()).toEqual(['shop/a 1-20', 'shop/b 1-10']);
  });

  it.each([
    { name: 'that still says the same keeps the commit that brought it', files: {}, want: 'First' },
    {
      name: 'that has changed since has the commit that it comes with',
      files: { 'a.yaml': policyYaml('a', { max: 20 }) },
      want: 'Second',
    },
  ])('a policy whose release is taken back, $name', async ({ files, want }) => {
    bench.origin.commit('First', { 'a.yaml': a, 'b.yaml': b });
    await bench.sync.sync();
    await bench.sync.release('shop/a', request);
    bench.origin.commit('Second', { 'b.yaml': policyYaml('b', { max: 20 }), ...files });
    await bench.sync.sync();
    await bench.sync.resume({ ...request, policy: 'shop/a' });
    const [version] = await bench.store.loadVersionsAt([
      { namespace: 'shop', name: 'a', time: bench.clock.now() },
    ]);
    expect([version?.commit.subject, version?.validTo, version?.validFrom]).toEqual([
      want,
      null,
      bench.clock.now(),
    ]);
  });

  it('knows which policy was in force at a moment', async () => {
    bench.origin.commit('First', { 'a.yaml': a });
    await bench.sync.sync();
    const early = bench.clock.now();
    bench.clock.advance(60_000);
    bench.origin.commit('Second', { 'a.yaml': policyYaml('a', { max: 20 }) });
    await bench.sync.sync();
    const policy = { namespace: 'shop', name: 'a' };
    const [before, now] = await bench.store.loadVersionsAt([
      { ...policy, time: early },
      { ...policy, time: bench.clock.now() },
    ]);
    expect([before?.commit.subject, before?.validTo]).toEqual(['First', bench.clock.now()]);
    expect([now?.commit.subject, now?.validTo]).toEqual(['Second', null]);
  });
});
