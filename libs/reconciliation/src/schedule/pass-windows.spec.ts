import { describe, expect, it } from '@jest/globals';
import { FakeClock } from '../ports/clock.fake.ts';
import type { PassWindow, RunningPass } from './pass-window.ts';
import { PassWindows } from './pass-windows.ts';

describe('PassWindows', () => {
  it('divide the places among the sources that passes wait for', async () => {
    const windows = new PassWindows(new FakeClock());
    const [hanging, healthy] = windows.open(['prometheus/main', 'metrics.k8s.io']);
    expect(await placesOf(hanging)).toBe(256);
    expect(await placesOf(healthy)).toBe(256);
  });

  it('give all places to the one source that there is, and to one that is left when others are let go', async () => {
    const windows = new PassWindows(new FakeClock());
    windows.open(['prometheus/main']);
    const [only] = windows.open(['metrics.k8s.io']);
    expect(await placesOf(only)).toBe(512);
  });

  it('keep a window that is in use while others are opened', () => {
    const windows = new PassWindows(new FakeClock());
    const [busy] = windows.open(['prometheus/main']);
    busy?.count([aPass()]);
    windows.open(['metrics.k8s.io']);
    expect(windows.open(['prometheus/main'])[0]).toBe(busy);
  });

  it('have room for one group of passes at least, however many sources there are', async () => {
    const windows = new PassWindows(new FakeClock());
    const [first] = windows.open(Array.from({ length: 20 }, (_, index) => `prometheus/${index}`));
    expect(await placesOf(first)).toBe(64);
  });

  /** How many passes that never end begin before one has to wait. */
  async function placesOf(window: PassWindow | undefined): Promise<number> {
    const begin = async (): Promise<void> => {
      await window?.room('Regular');
      window?.count([aPass()]);
      begun += 1;
    };
    let begun = 0;
    for (let asked = 0; asked < 600 && begun === asked; asked += 1) {
      void begin();
      for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
    }
    return begun;
  }
});

const aPass = (): RunningPass => ({ end: new Promise(() => undefined), isRecording: () => false });
