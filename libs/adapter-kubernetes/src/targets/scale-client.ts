import { AdapterError } from '#kernel';
import type {
  ScalePort,
  ScaleQuery,
  ScaleReading,
  ScaleState,
  ScaleTarget,
  ScaleWrite,
  ScaleWriteFailure,
  ScaleWriteOutcome,
  VersionRetirement,
  VersionRetirementOutcome,
} from '#reconciliation';
import { transportFailure } from '../api/api-failure.ts';
import type { KindAbsences } from '../api/kind-absences.ts';
import { untilAborted } from '../api/until-aborted.ts';
import { isAtLeast } from '../objects/resource-version.ts';
import type { Timing } from '../time/timing.ts';
import { catchUpMilliseconds, type CustomTargets } from './custom-targets.ts';
import type { ReachedScales } from './reached-scales.ts';
import type { ScaleReader } from './scale-reader.ts';
import { asScaleFailure, isSameScale, type ScaleWriter } from './scale-writer.ts';
import { targetKey } from './target-key.ts';
import type { VersionRetirer } from './version-retirer.ts';
import type { WorkloadCache } from './workload-cache.ts';

export interface ScaleClientOptions {
  readonly workloads: WorkloadCache;
  readonly customTargets: CustomTargets;
  readonly absences: KindAbsences;
  readonly reader: ScaleReader;
  readonly writer: ScaleWriter;
  readonly retirer: VersionRetirer;
  readonly reached: ReachedScales;
  readonly timing: Timing;
}

/** Of a read that says that there is no such scale in the namespace. */
const goneCodes: ReadonlySet<string> = new Set(['NotFound', 'NotNamespaced', 'NoScale']);

/** Scales that this process read or wrote and that no watch has caught up with; one per target of a policy. */
const maximumNewer = 50_000;

/** A scale that no watch has shown yet. */
interface NewerScale {
  readonly state: ScaleState;
  /** When it was read or written, in milliseconds of `Timing.elapsed`. */
  readonly at: number;
}

/** Scales of any target: from the watch where there is one, and never older than what was read or written here. */
export class ScaleClient implements ScalePort {
  readonly #workloads: WorkloadCache;
  readonly #customTargets: CustomTargets;
  readonly #absences: KindAbsences;
  readonly #reader: ScaleReader;
  readonly #writer: ScaleWriter;
  readonly #retirer: VersionRetirer;
  readonly #reached: ReachedScales;
  readonly #newer = new Map<string, NewerScale>();
  readonly #timing: Timing;

  constructor(options: ScaleClientOptions) {
    this.#timing = options.timing;
    this.#workloads = options.workloads;
    this.#customTargets = options.customTargets;
    this.#absences = options.absences;
    this.#reader = options.reader;
    this.#writer = options.writer;
    this.#retirer = options.retirer;
    this.#reached = options.reached;
  }

  async readScale({ target, freshness }: ScaleQuery, signal: AbortSignal): Promise<ScaleReading> {
    const cached = freshness === 'Cached' ? this.cachedScale(target) : undefined;
    if (cached !== undefined) return { state: cached };
    try {
      return { state: await untilAborted(signal, () => this.#read(target)) };
    } catch (error) {
      signal.throwIfAborted();
      const failure = transportFailure('scale', error, []);
      const isGone = await untilAborted(signal, () => this.#isGone(target, failure));
      return {
        error: { reason: 'FailedGetScale', message: failure.message },
        cause: isGone ? 'NotFound' : 'Failed',
      };
    }
  }

  /** With its definition a target is gone, too, and a policy that has left it waits for nothing more of it. */
  async #isGone(target: ScaleTarget, { code }: AdapterError): Promise<boolean> {
    if (code !== 'UnknownKind') return goneCodes.has(code);
    const presence = await this.#absences.presenceOf(target, 0).catch(() => undefined);
    return presence?.kind === 'Absent';
  }

  async writeScale(write: ScaleWrite, signal: AbortSignal): Promise<ScaleWriteOutcome> {
    const outcome = await this.#write(write, signal);
    if ('state' in outcome) this.#remember(write.target, outcome.state);
    return outcome;
  }

  async retireVersion(retirement: VersionRetirement, signal: AbortSignal): Promise<VersionRetirementOutcome> {
    const outcome = await this.#retirer.retire(retirement, signal);
    if (outcome.kind === 'Retired') this.#remember(retirement.target, outcome.state);
    return outcome;
  }

  cachedScale(target: ScaleTarget): ScaleState | undefined {
    const cache = this.#workloads.of(target);
    if (cache === undefined) return this.#customTargets.cached(target);
    if (!cache.trustOf(target.namespace).isTrusted) return undefined;
    const watched = cache.get(target.namespace, target.name)?.scale;
    if (watched === undefined) return undefined;
    this.#reached.noteWatched(target, watched.resourceVersion);
    if (this.#newer.size === 0) return watched;
    const key = targetKey(target);
    const newer = this.#newerOf(key);
    if (newer === undefined) return watched;
    if (!isAtLeast(watched.resourceVersion, newer.resourceVersion)) return newer;
    this.#newer.delete(key);
    return watched;
  }

  /**
   * A custom resource's scale is looked at once more before a write: where its definition names another field for the count
   * since it was observed, the version is the same, and a write on it would be taken.
   */
  async #write(write: ScaleWrite, signal: AbortSignal): Promise<ScaleWriteOutcome> {
    const { target, observed } = write;
    if (this.#workloads.of(target) !== undefined) return this.#writer.write(write, signal);
    const present = await untilAborted(signal, () => this.#customTargets.read(target)).catch(asScaleFailure);
    signal.throwIfAborted();
    if (present instanceof AdapterError) return { outcome: 'Failed', failure: unreadScale(present) };
    if (!isSameScale(present, observed)) return { outcome: 'Changed', state: present };
    return this.#writer.write({ ...write, observed: present }, signal);
  }

  async #read(target: ScaleTarget): Promise<ScaleState> {
    const cache = this.#workloads.of(target);
    if (cache === undefined) return this.#customTargets.read(target);
    const watched = cache.get(target.namespace, target.name)?.scale.resourceVersion;
    const floor = this.#reached.floorOf(target, watched);
    const state = await this.#reader.readWithWriter(target);
    this.#reached.judge(target, state.resourceVersion, floor);
    this.#remember(target, state);
    return state;
  }

  #remember(target: ScaleTarget, state: ScaleState): void {
    if (this.#workloads.of(target) === undefined) {
      this.#customTargets.remember(target, state);
      return;
    }
    this.#reached.note(target, state.resourceVersion);
    const key = targetKey(target);
    const known = this.#newerOf(key);
    if (known !== undefined && !isAtLeast(state.resourceVersion, known.resourceVersion)) return;
    if (this.#newer.size >= maximumNewer) this.#newer.clear();
    this.#newer.set(key, { state, at: this.#timing.elapsed() });
  }

  #newerOf(key: string): ScaleState | undefined {
    const newer = this.#newer.get(key);
    if (newer === undefined) return undefined;
    if (this.#timing.elapsed() - newer.at <= catchUpMilliseconds) return newer.state;
    this.#newer.delete(key);
    return undefined;
  }
}

/** Of a read that met no API server, or none that knows us: the watch ends as well, and so does the trust in the scale. */
const outages: ReadonlySet<string> = new Set(['NotConnected', 'Unreachable', 'Unauthorized']);

/** Why nothing is written on a scale that could not be looked at once more. */
function unreadScale({ code, message, retryable }: AdapterError): ScaleWriteFailure {
  return {
    code: retryable && !outages.has(code) ? 'NotReadBefore' : code,
    message: `its scale could not be read before the write: ${message}`,
    retryable,
  };
}
