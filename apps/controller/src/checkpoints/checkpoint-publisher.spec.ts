import { expect, it } from '@jest/globals';
import { AdapterError } from '#kernel';
import { generateSigningKey, parseSigningKey } from '#ledger';
import { CheckpointPublisher } from './checkpoint-publisher.ts';
import type { CheckpointSink } from './checkpoint-sink.ts';

const { publicKey } = parseSigningKey(generateSigningKey());
const now = '2026-11-22T12:00:00.000Z';

interface World {
  readonly publisher: CheckpointPublisher;
  readonly taken: string[];
  /** What the sink does with a batch; by default it takes it. */
  answer: (notes: readonly string[], signal?: AbortSignal) => Promise<void>;
  /** What the sink says that it has; by default it cannot be asked. */
  read: () => Promise<string | null>;
  /** Lets the time come that is waited for. */
  readonly turn: () => Promise<void>;
  /** The same, without waiting for what it begins. */
  readonly late: () => void;
  /** Milliseconds that were waited for, in order: 60,000 of them for each delivery. */
  readonly waits: number[];
  readonly warnings: unknown[];
}

function aWorld(): World {
  const taken: string[] = [];
  const waits: number[] = [];
  const warnings: unknown[] = [];
  let timer: (() => void) | undefined;
  const sink: CheckpointSink = {
    name: 'http',
    deliver: async (notes, _publicKey, signal) => {
      await world.answer(notes, signal);
      taken.push(...notes);
    },
    lastNote: () => world.read(),
  };
  const publisher = new CheckpointPublisher({
    sinks: [sink],
    clock: {
      now: () => now,
      schedule: (milliseconds, callback) => {
        waits.push(milliseconds);
        timer = callback;
        return () => {
          timer = undefined;
        };
      },
    },
    logger: { info: () => undefined, warn: (fields: unknown) => void warnings.push(fields) },
  });
  const world: World = {
    publisher,
    taken,
    waits,
    warnings,
    answer: () => Promise.resolve(),
    read: () => Promise.reject(new Error('it cannot be asked')),
    late: () => timer?.(),
    turn: async () => {
      timer?.();
      await publisher.whenIdle();
    },
  };
  return world;
}

const unreachable = (): Promise<void> =>
  Promise.reject(new AdapterError({ code: 'Unreachable', message: 'no answer', retryable: true }));

it('sends notes in order, and tries those that failed again with growing waits', async () => {
  const world = aWorld();
  const { publisher, taken, waits } = world;
  world.answer = unreachable;
  for (const note of ['1', '2', '3']) publisher.put(note, publicKey);
  await publisher.whenIdle();
  expect(publisher.failing).toEqual([{ sink: 'http', since: now }]);
  for (let attempt = 0; attempt < 9; attempt += 1) await world.turn();
  const pauses = [2, 4, 8, 16, 32, 64, 128, 256, 300, 300];
  expect(waits).toEqual(pauses.flatMap((seconds) => [60_000, seconds * 1_000]));
  expect(world.warnings).toEqual([{ sink: 'http', reason: 'Unreachable: no answer' }]);
  world.answer = () => Promise.resolve();
  await world.turn();
  expect(taken).toEqual(['1', '2', '3']);
  expect(publisher.states).toEqual([
    { sink: 'http', waiting: 0, dropped: 0, failingSince: null, deliveredAt: now },
  ]);
});

it('waits for no sink, and keeps at most a thousand notes for it, the newest', async () => {
  const world = aWorld();
  let release = (): void => undefined;
  world.answer = () => new Promise((resolve) => (release = resolve));
  for (let number = 1; number <= 1_200; number += 1) world.publisher.put(String(number), publicKey);
  expect(world.publisher.states).toMatchObject([{ waiting: 1_000, dropped: 200 }]);
  world.answer = () => Promise.resolve();
  release();
  await world.publisher.whenIdle();
  // The first batch was on its way when the others came.
  expect(world.taken).toEqual(['1', ...Array.from({ length: 1_000 }, (_, index) => String(index + 201))]);
});

it('tries once more at the end, and says what was not sent', async () => {
  const world = aWorld();
  world.answer = unreachable;
  world.publisher.put('1', publicKey);
  await world.publisher.whenIdle();
  await world.publisher.stop();
  expect(world.warnings.at(-1)).toEqual({ sink: 'http', waiting: 1 });
  const recovering = aWorld();
  recovering.answer = unreachable;
  recovering.publisher.put('1', publicKey);
  await recovering.publisher.whenIdle();
  recovering.answer = () => Promise.resolve();
  await recovering.publisher.stop();
  expect(recovering.taken).toEqual(['1']);
});

it('ends without a sink that hangs', async () => {
  const world = aWorld();
  world.answer = () => new Promise(() => undefined);
  world.publisher.put('1', publicKey);
  const ended = world.publisher.stop();
  world.late();
  await ended;
  expect(world.warnings).toEqual([{ sink: 'http', waiting: 1 }]);
});

it('tells a sink that hangs that nobody waits for it, and nobody that it fails then', async () => {
  const world = aWorld();
  world.answer = (_, signal) =>
    new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(new Error('aborted'))));
  world.publisher.put('1', publicKey);
  const ended = world.publisher.stop();
  world.late();
  await ended;
  await world.publisher.whenIdle();
  expect(world.warnings).toEqual([{ sink: 'http', waiting: 1 }]);
  expect(world.publisher.failing).toEqual([]);
});

it('names the sinks that cannot say what they have', async () => {
  await expect(aWorld().publisher.lastNotes()).resolves.toEqual({ notes: [], unread: ['http'] });
});

it('names a sink that hangs, sends it nothing beside that, and goes on when it answers', async () => {
  const world = aWorld();
  let answer = (): void => undefined;
  world.answer = () => new Promise((resolve) => (answer = resolve));
  for (const note of ['1', '2']) world.publisher.put(note, publicKey);
  expect(world.publisher.failing).toEqual([]);
  world.late();
  await new Promise((resolve) => setImmediate(resolve));
  expect(world.publisher.failing).toEqual([{ sink: 'http', since: now }]);
  expect(world.warnings).toEqual([{ sink: 'http', reason: 'Timeout: it has not answered for 60 seconds' }]);
  world.answer = () => Promise.resolve();
  answer();
  await world.publisher.whenIdle();
  expect(world.taken).toEqual(['1', '2']);
  expect(world.publisher.failing).toEqual([]);
});

it('waits for no sink that hangs while it is read, and reads it once meanwhile', async () => {
  const world = aWorld();
  let asked = 0;
  world.read = () => {
    asked += 1;
    return new Promise(() => undefined);
  };
  for (let time = 0; time < 2; time += 1) {
    const notes = world.publisher.lastNotes();
    world.late();
    await expect(notes).resolves.toEqual({ notes: [], unread: ['http'] });
  }
  expect([asked, world.waits]).toEqual([1, [30_000, 30_000]]);
});
