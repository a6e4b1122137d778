import { AdapterError } from '#kernel';
import { isAtLeast } from '../objects/resource-version.ts';

/** A server that is behind has caught up by then, or another one answers in its place; a restored one never does. */
export const beliefMilliseconds = 60_000;

/**
 * How far a collection has come. A server that says less than that is behind, as one may be that stands in for another, or
 * was restored from a backup: what it says is taken in once it has said so for a minute, since what goes back and forth would
 * be recorded as changes that nobody made.
 */
export class ReachedVersion {
  readonly #resource: string;
  #version = '0';
  /** When a server first said less, in milliseconds of `Timing.elapsed`; undefined: none does. */
  #backSince: number | undefined;

  /** @param resource the collection, for messages */
  constructor(resource: string) {
    this.#resource = resource;
  }

  /** Takes the version of what was taken in, or that the server is known to be at. */
  note(version: string): void {
    if (isAtLeast(version, this.#version)) this.#version = version;
  }

  /** Judges the version of a list before it is taken in. @throws AdapterError `WentBack` */
  judge(version: string, now: number): void {
    const isRestored = this.#backSince !== undefined && now - this.#backSince >= beliefMilliseconds;
    if (!isRestored) this.confirm(version, now);
    this.#backSince = undefined;
    this.#version = version;
  }

  /** Compares the version that the server is at. @throws AdapterError `WentBack` */
  confirm(version: string, now: number): void {
    if (isAtLeast(version, this.#version)) return;
    this.#backSince ??= now;
    const message = `${this.#resource}: the server is at version ${version}, and was at ${this.#version}: is it behind, or restored?`;
    throw new AdapterError({ code: 'WentBack', message, retryable: true });
  }
}
