import { AdapterError } from '#kernel';
import type { ScaleTarget } from '#reconciliation';
import { beliefMilliseconds } from '../informer/reached-version.ts';
import { isAtLeast } from '../objects/resource-version.ts';
import type { Timing } from '../time/timing.ts';
import { targetKey } from './target-key.ts';

/** As many as there are targets of policies. */
const maximumTargets = 50_000;

interface Reached {
  readonly version: string;
  /** Of a watch, and not believed any more: a server has said less for a minute. Null: all is believed. */
  readonly overruled: string | null;
}

/**
 * How far the scale of each target has come. What leads back is believed once a server has said so for a minute, as of a
 * collection that is watched: a count of before would be recorded as a change that nobody made, and back again.
 */
export class ReachedScales {
  readonly #timing: Timing;
  readonly #reached = new Map<string, Reached>();
  /** Since when a server says less of a target, in milliseconds of `Timing.elapsed`; mostly of none. */
  readonly #backSince = new Map<string, number>();

  constructor(timing: Timing) {
    this.#timing = timing;
  }

  /** Takes the version of a scale that was read or written: a server has what is known. */
  note(target: ScaleTarget, version: string): void {
    const known = this.#of(target);
    if (!isAtLeast(version, known.version)) return;
    this.#set(target, { ...known, version });
    this.#backSince.delete(targetKey(target));
  }

  /** Takes the version that a trusted watch has, with which a pass goes on without a read: a minute that began is over. */
  noteWatched(target: ScaleTarget, version: string): void {
    if (this.#backSince.size > 0) this.note(target, version);
  }

  /**
   * The least version that a read which is sent now may be answered with: what comes to be known while it is under way says
   * nothing of its answer.
   *
   * @param watched that of a watch, trusted or not; undefined: none has the target
   */
  floorOf(target: ScaleTarget, watched: string | undefined): string {
    const { version, overruled } = this.#of(target);
    if (watched === undefined || watched === overruled) return version;
    return isAtLeast(watched, version) ? watched : version;
  }

  /** Judges the version of an answer. @throws AdapterError `WentBack` */
  judge(target: ScaleTarget, version: string, floor: string): void {
    const key = targetKey(target);
    if (isAtLeast(version, floor)) {
      this.#backSince.delete(key);
      this.note(target, version);
      return;
    }
    const now = this.#timing.elapsed();
    const backSince = this.#backSince.get(key) ?? now;
    if (now - backSince >= beliefMilliseconds) {
      this.#backSince.delete(key);
      this.#set(target, { version, overruled: floor });
      return;
    }
    if (this.#backSince.size >= maximumTargets) this.#backSince.clear();
    this.#backSince.set(key, backSince);
    const message = `GET of the scale of ${target.kind} ${target.name}: the server has it at version ${version}, and had it at ${floor}: is it behind, or restored?`;
    throw new AdapterError({ code: 'WentBack', message, retryable: true });
  }

  #of(target: ScaleTarget): Reached {
    return this.#reached.get(targetKey(target)) ?? nowhere;
  }

  #set(target: ScaleTarget, reached: Reached): void {
    const key = targetKey(target);
    if (this.#reached.size >= maximumTargets && !this.#reached.has(key)) this.#reached.clear();
    this.#reached.set(key, reached);
  }
}

const nowhere: Reached = { version: '0', overruled: null };
