import { AdapterError } from '#kernel';
import type { ScaleTarget } from '#reconciliation';
import { isAtLeast } from '../objects/resource-version.ts';
import type { Timing } from '../time/timing.ts';
import { targetKey } from './target-key.ts';

/** As of a collection: a server that is behind has caught up by then; a restored one never does. */
const beliefMilliseconds = 60_000;
/** As many as there are targets of policies. */
const maximumTargets = 50_000;

interface Reached {
  readonly version: string;
  /** Since when a server says less, in milliseconds of `Timing.elapsed`; null: none does. */
  readonly backSince: number | null;
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

  constructor(timing: Timing) {
    this.#timing = timing;
  }

  /** Takes the version of a scale that was read or written. */
  note(target: ScaleTarget, version: string): void {
    const known = this.#of(target);
    if (isAtLeast(version, known.version)) this.#set(target, { ...known, version });
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
    const known = this.#of(target);
    if (isAtLeast(version, floor)) {
      const reached = isAtLeast(version, known.version) ? version : known.version;
      this.#set(target, { version: reached, backSince: null, overruled: known.overruled });
      return;
    }
    const now = this.#timing.elapsed();
    const backSince = known.backSince ?? now;
    if (now - backSince >= beliefMilliseconds) {
      this.#set(target, { version, backSince: null, overruled: floor });
      return;
    }
    this.#set(target, { ...known, backSince });
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

const nowhere: Reached = { version: '0', backSince: null, overruled: null };
