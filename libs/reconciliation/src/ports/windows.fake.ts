import type { ObservedWindow } from '#decision';
import type { WindowsPort } from './windows.port.ts';

/** The same windows for every policy. */
export class FakeWindows implements WindowsPort {
  windows: readonly ObservedWindow[] = [];

  windowsInForce(): readonly ObservedWindow[] {
    return this.windows;
  }
}
