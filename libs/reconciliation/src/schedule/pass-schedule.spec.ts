import { beforeEach, describe, expect, it } from '@jest/globals';
import type { MetricSpec } from '#policy';
import type { PolicyRuntime } from '../runtime/policy-runtime.ts';
import { PolicyRuntimes } from '../runtime/policy-runtimes.ts';
import { anActivePolicy } from '../testing/a-policy.ts';
import { World } from '../testing/a-world.ts';
import type { DuePass } from './begin-passes.ts';
import { PassSchedule } from './pass-schedule.ts';

let clock: World['clock'];
let schedule: PassSchedule;
let runtimes: PolicyRuntimes;
let mayBegin: (runtime: PolicyRuntime) => boolean;

beforeEach(() => {
  const world = new World();
  clock = world.clock;
  runtimes = new PolicyRuntimes();
  runtimes.adopt([anActivePolicy()]);
  mayBegin = () => true;
  schedule = new PassSchedule({
    ports: world,
    options: { jitterPercent: 0, seed: '' },
    runtimes,
    mayBegin: (runtime) => mayBegin(runtime),
  });
});

/** What is due so many seconds later. */
function dueAfter(seconds: number): readonly DuePass[] {
  clock.advance(seconds * 1_000);
  return schedule.takeDue();
}

function one(due: readonly DuePass[]): DuePass {
  expect(due).toHaveLength(1);
  return due[0]!;
}

describe('a pass that waits for its place', () => {
  it('keeps another from being taken, until its place has come', () => {
    const pass = one(dueAfter(0));
    expect(dueAfter(15)).toEqual([]);
    expect(schedule.leaveLine(pass)).toBe(true);
    expect(dueAfter(15)).toHaveLength(1);
  });

  it('keeps one that is early from being taken no longer than an early one does', () => {
    const pass = one(dueAfter(0));
    schedule.hasten(pass.runtime);
    const early = one(dueAfter(1));
    expect(early.isEarly).toBe(true);
    schedule.hasten(pass.runtime);
    expect(dueAfter(1)).toEqual([]);
    expect(schedule.leaveLine(early)).toBe(true);
    schedule.hasten(pass.runtime);
    expect(one(dueAfter(1)).isEarly).toBe(true);
  });

  it('keeps no other from being taken after a minute, and begins in its place or not at all', () => {
    const pass = one(dueAfter(0));
    for (const seconds of [15, 15, 15]) expect(dueAfter(seconds)).toEqual([]);
    const next = one(dueAfter(15));
    expect(schedule.leaveLine(next)).toBe(true);
    expect(schedule.leaveLine(pass)).toBe(false);
  });

  it('comes after the one under way where it is early', () => {
    const { runtime } = one(dueAfter(0));
    schedule.hasten(runtime);
    const early = one(dueAfter(1));
    runtime.beginPass();
    expect(schedule.leaveLine(early)).toBe(false);
    runtime.endPass();
    expect(one(dueAfter(1)).isEarly).toBe(true);
  });
});

describe('policies that come while others wait for their interval', () => {
  const metric = (server: string): MetricSpec => ({
    type: 'Prometheus',
    server,
    query: 'load',
    target: { type: 'Value', valueMilli: 1n },
    targetDocument: {},
  });
  const known = anActivePolicy({ name: 'known', metrics: [metric('one')], intervalSeconds: 15 });
  const hasty = anActivePolicy({ name: 'hasty', metrics: [metric('one')], intervalSeconds: 2 });
  const elsewhere = anActivePolicy({ name: 'elsewhere', metrics: [metric('two')], intervalSeconds: 15 });
  const came = anActivePolicy({ name: 'came', metrics: [metric('one')], intervalSeconds: 15 });

  /** The names of the policies that are due so many seconds later; those of `waiting` keep waiting for their place. */
  function dueNames(seconds: number, waiting: readonly string[] = []): readonly string[] {
    const due = dueAfter(seconds);
    for (const pass of due) {
      const { runtime } = pass;
      if (waiting.includes(runtime.active.policy.name)) continue;
      expect(schedule.leaveLine(pass)).toBe(true);
      runtime.replaceOutcome({ kind: 'Waiting', reason: 'CacheNotSynced', message: '', cache: noCache });
    }
    return due.map(({ runtime }) => runtime.active.policy.name);
  }

  beforeEach(() => {
    runtimes.adopt([known, hasty, elsewhere]);
    expect(dueNames(0)).toEqual(['known', 'hasty', 'elsewhere']);
    expect(dueNames(13)).toEqual(['hasty']);
    runtimes.adopt([known, hasty, elsewhere, came]);
  });

  it('begin first, and the others that wait for their metric sources after them', () => {
    expect(dueNames(2, ['came'])).toEqual(['elsewhere', 'came']);
    const came = runtimes.all().at(-1);
    came?.beginPass();
    expect(dueNames(0)).toEqual(['known', 'hasty']);
  });

  it('let the others wait also while they are being restored', () => {
    mayBegin = ({ active }) => active.policy.name !== 'came';
    expect(dueNames(2)).toEqual(['elsewhere']);
    mayBegin = () => true;
    expect(dueNames(0)).toEqual(['came']);
    expect(dueNames(0)).toEqual(['known', 'hasty']);
  });

  it('keep none from being due for longer than its interval, nor than five seconds', () => {
    expect(dueNames(2, ['came'])).toEqual(['elsewhere', 'came']);
    expect(dueNames(1)).toEqual(['hasty']);
    expect(dueNames(1)).toEqual([]);
    expect(dueNames(3)).toEqual(['known', 'hasty']);
  });

  it('keep none from being early', () => {
    expect(dueNames(2, ['came'])).toEqual(['elsewhere', 'came']);
    const [runtime] = runtimes.all();
    schedule.demand(runtime === undefined ? [] : [runtime]);
    const due = dueAfter(0);
    expect(due.map(({ runtime: early, isEarly }) => [early.active.policy.name, isEarly])).toEqual([
      ['known', true],
    ]);
  });
});

const noCache = { group: '', resource: '' };
