import { beforeEach, describe, expect, it } from '@jest/globals';
import { FakeClock } from '../ports/clock.fake.ts';
import { flushMicrotasks } from '../testing/a-world.ts';
import { PassWindow, type Precedence } from './pass-window.ts';

const maximumUnderWay = 512;

describe('PassWindow', () => {
  let clock: FakeClock;
  let window: PassWindow;
  let ends: (() => void)[];
  let begun: string[];
  /** Of the passes that began last, how many wait for the ledger. */
  let recording: number;

  beforeEach(() => {
    clock = new FakeClock();
    window = new PassWindow(clock, () => maximumUnderWay);
    ends = [];
    begun = [];
    recording = 0;
  });

  function count(passes: number): void {
    const running = Array.from({ length: passes }, () => Promise.withResolvers<undefined>());
    ends.push(
      ...running.map(
        ({ resolve }) =>
          () =>
            resolve(undefined),
      ),
    );
    const isRecording = (index: number) => () => index >= passes - recording;
    window.count(running.map(({ promise }, index) => ({ end: promise, isRecording: isRecording(index) })));
  }

  async function ask(name: string, precedence: Precedence = 'Regular'): Promise<void> {
    void window.room(precedence).then(() => begun.push(name));
    await flushMicrotasks();
  }

  async function end(passes: number): Promise<void> {
    for (const endOne of ends.splice(0, passes)) endOne();
    await flushMicrotasks();
  }

  async function pass(milliseconds: number): Promise<void> {
    clock.advance(milliseconds);
    await flushMicrotasks();
  }

  it('lets passes begin as others end, those that are early before those that asked earlier', async () => {
    await ask('first');
    count(512);
    await ask('second');
    await ask('early', 'Early');
    expect(begun).toEqual(['first']);
    await end(1);
    expect(begun).toEqual(['first', 'early']);
    await end(1);
    expect(begun).toEqual(['first', 'early', 'second']);
  });

  it('lets those that are early begin before first ones, and these before regular ones, each as they came', async () => {
    count(512);
    const asked = ['Regular', 'First', 'Early', 'Regular', 'First', 'Early'] as const;
    for (const [index, precedence] of asked.entries()) await ask(`${precedence} ${index}`, precedence);
    for (let ended = 0; ended < 6; ended += 1) await end(1);
    expect(begun).toEqual(['Early 2', 'Early 5', 'First 1', 'First 4', 'Regular 0', 'Regular 3']);
  });

  it('lets all begin where none has ended within 50 ms, until few are under way', async () => {
    count(512);
    await ask('one');
    await ask('two');
    await pass(49);
    expect(begun).toEqual([]);
    await pass(1);
    expect(begun).toEqual(['one', 'two']);
    await ask('three');
    expect(begun).toEqual(['one', 'two', 'three']);
    await end(512);
    count(512);
    await ask('four');
    expect(begun).toEqual(['one', 'two', 'three']);
  });

  it('goes on to wait while passes end, and does not count those that hang beyond 500 ms', async () => {
    count(600);
    await ask('one');
    for (let elapsed = 0; elapsed < 480; elapsed += 40) {
      await end(1);
      await pass(40);
    }
    expect(begun).toEqual([]);
    await pass(20);
    expect(begun).toEqual(['one']);
    await pass(50);
    expect(clock.pending).toBe(0);
  });

  it('lets none begin while all wait for the ledger, for up to 10 s', async () => {
    recording = 512;
    count(512);
    await ask('one');
    for (let elapsed = 0; elapsed < 9_950; elapsed += 50) await pass(50);
    expect(begun).toEqual([]);
    await end(1);
    expect(begun).toEqual(['one']);
    count(1);
    await ask('two');
    await pass(50);
    expect(begun).toEqual(['one', 'two']);
  });

  it('waits longer for what is on its way while the ledger is taking entries', async () => {
    recording = 1;
    count(512);
    await ask('one');
    for (let elapsed = 50; elapsed < 500; elapsed += 50) await pass(50);
    expect(begun).toEqual([]);
    await pass(50);
    expect(begun).toEqual(['one']);
  });
});
