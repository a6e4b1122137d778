import { setTimeout as delay } from 'node:timers/promises';
import type { ClockPort } from '#reconciliation';

/** How many times as fast as the machine's the clock goes. */
export const speed = 20;

/** Time that goes fast, and is moved on besides. */
export class FastClock implements ClockPort {
  #offset = 0;
  #wallOffset = 0;

  now(): string {
    const milliseconds = this.monotonicMilliseconds() + this.#wallOffset;
    return new Date(Date.parse('2026-11-20T12:00:00Z') + milliseconds).toISOString();
  }

  monotonicMilliseconds(): number {
    return performance.now() * speed + this.#offset;
  }

  schedule(milliseconds: number, callback: () => void): () => void {
    const timer = setTimeout(callback, milliseconds / speed);
    return () => clearTimeout(timer);
  }

  noteWork(): void {
    // Nothing watches this thread.
  }

  async nextTurn(): Promise<void> {
    await delay(0);
  }

  advance(milliseconds: number): void {
    this.#offset += milliseconds;
  }

  /** Sets the wall clock, which goes on from there. */
  setWall(milliseconds: number): void {
    this.#wallOffset += milliseconds;
  }
}
