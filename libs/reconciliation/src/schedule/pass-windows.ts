import type { ClockPort } from '../ports/clock.port.ts';
import { PassWindow } from './pass-window.ts';

/**
 * Passes under way at a time, over all windows: enough for the metrics of some ten namespaces to be on their way; what
 * these passes hold is some 20 MB.
 */
const maximumUnderWay = 512;

/** A window has room for so many however many windows there are: passes begin in groups of that size. */
const leastUnderWay = 64;

/**
 * One window for each set of metric sources that passes wait for. The places are divided among them, so that passes which
 * wait for a source that hangs take none from the others.
 */
export class PassWindows {
  readonly #clock: ClockPort;
  readonly #windows = new Map<string, PassWindow>();

  constructor(clock: ClockPort) {
    this.#clock = clock;
  }

  /** The window of passes that wait for each of these sources; others that are not in use are let go. */
  open(sources: readonly string[]): readonly PassWindow[] {
    for (const [key, window] of this.#windows)
      if (window.isIdle && !sources.includes(key)) this.#windows.delete(key);
    return sources.map((key) => {
      const window = this.#windows.get(key) ?? new PassWindow(this.#clock, () => this.#share);
      this.#windows.set(key, window);
      return window;
    });
  }

  get #share(): number {
    return Math.max(leastUnderWay, Math.floor(maximumUnderWay / this.#windows.size));
  }
}
