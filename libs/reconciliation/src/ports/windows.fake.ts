import type { ObservedWindow } from '#decision';
import type { EffectivePolicy } from '#policy';
import type { SettledWindowsPort } from './windows.port.ts';

/** The same windows for every policy. */
export class FakeWindows implements SettledWindowsPort {
  isTimeInDoubt = false;
  windows: readonly ObservedWindow[] = [];
  /** Thrown for the policy of this name: a bug, as far as the pass can see. */
  fault: { readonly policy: string; readonly error: Error } | null = null;

  /** Milliseconds until a window begins or ends, whenever it is asked. */
  next: number | null = null;

  untilNextChange(): number | null {
    return this.next;
  }

  windowsInForce({ name }: Pick<EffectivePolicy, 'name'>): readonly ObservedWindow[] {
    if (this.fault?.policy === name) throw this.fault.error;
    return this.windows;
  }
}
