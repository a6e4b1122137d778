import { addSeconds, compareInstants, type Milli, parseMilli } from '#kernel';
import type { Evaluation } from '../evaluation/evaluation.ts';
import { instantOf } from '../model/instant-of.ts';
import type { ObservedPod, Optional, PodSample, QuantityText } from '../model/observation.ts';
import { compareCodePoints } from '../selection/compare-code-points.ts';
import type { SelectedPods } from '../selection/select-pods.ts';
import { addMilli } from './exact-sum.ts';

/** A sample's value; `undefined`: it has none for this metric. */
export type ReadSample = (sample: PodSample) => Milli | 'invalid' | undefined;

/** The samples of a metric, matched with the selected pods. */
export interface PodReadings {
  /** By the index of the pod; undefined: the pod has no metric. */
  readonly values: readonly (Milli | undefined)[];
  readonly samples: readonly (PodSample | undefined)[];
  /** Values of pods that the listing does not have, which upstream counts. */
  readonly superfluous: readonly Milli[];
  /** The first pod by name whose value cannot be used, and why. */
  readonly fault: string | null;
  /** Samples of selected pods that are too old, or of the future; null: there is none. */
  readonly stale: StaleSamples | null;
}

/** Samples that count as absent for their time. */
export interface StaleSamples {
  readonly count: number;
  /** That of the first pod by name. */
  readonly first: PodSample;
}

/** Reads the samples of selected pods, and the superfluous ones unless selection filters. A stale one does not exist. */
export function readSamples(
  listed: readonly PodSample[],
  { evaluation, selected, read }: { evaluation: Evaluation; selected: SelectedPods; read: ReadSample },
): PodReadings {
  const { byPod, others } = matchSamples(listed, selected);
  const reader = new SampleReader(read, staleness(evaluation));
  const values = new Array<Milli | undefined>(byPod.length);
  for (let index = 0; index < byPod.length; index += 1) values[index] = reader.read(byPod[index]);
  const { stale } = reader;
  const superfluous = selected.isFiltered ? none : readOthers(others, reader);
  return { values, samples: byPod, superfluous, fault: reader.fault, stale };
}

const none: readonly never[] = [];

function readOthers(others: readonly PodSample[], reader: SampleReader): readonly Milli[] {
  if (others.length === 0) return none;
  return others.map((sample) => reader.read(sample)).filter((value) => value !== undefined);
}

/** Reads samples, and keeps the fault of the first that cannot be used. */
class SampleReader {
  fault: string | null = null;
  stale: StaleSamples | null = null;
  readonly #readSample: ReadSample;
  readonly #isStale: (timestamp: Optional<string>) => boolean;

  constructor(readSample: ReadSample, isStale: (timestamp: Optional<string>) => boolean) {
    this.#readSample = readSample;
    this.#isStale = isStale;
  }

  read(sample: PodSample | undefined): Milli | undefined {
    if (sample === undefined) return undefined;
    if (this.#isStale(sample.timestamp)) {
      this.#noteStale(sample);
      return undefined;
    }
    const reading = this.#readSample(sample);
    if (reading === undefined || (reading !== 'invalid' && reading >= 0)) return reading;
    this.fault ??= faultOf(sample, reading);
    return undefined;
  }

  #noteStale(sample: PodSample): void {
    const { count, first } = this.stale ?? { count: 0, first: sample };
    this.stale = { count: count + 1, first };
  }
}

/** Reads a resource's usage: of all containers together, or of one. A container without it leaves the pod without a metric. */
export function resourceReader(resource: string, container: string | null): ReadSample {
  return ({ containers }) => {
    let sum: Milli | undefined;
    let isLacking = false;
    for (const { name, usage } of containers ?? []) {
      if (container !== null && name !== container) continue;
      const value = milliOf(usage?.[resource]);
      if (value === 'invalid') return value;
      if (value === undefined) isLacking = true;
      else sum = addMilli(sum ?? 0, value);
    }
    return isLacking ? undefined : sum;
  };
}

function milliOf(text: Optional<QuantityText>): Milli | 'invalid' | undefined {
  return isQuantityText(text) ? (parseMilli(text) ?? 'invalid') : undefined;
}

/** Reads a custom metric's value. */
export function valueReader({ value }: PodSample): Milli | 'invalid' | undefined {
  return milliOf(value);
}

/**
 * Whether a time is before `time` − maximumSampleAgeSeconds or after `time` + maximumFutureSeconds (strict); an absent
 * one never is.
 */
export function staleness({ settings, now }: Evaluation): (timestamp: string | null | undefined) => boolean {
  const { maximumSampleAgeSeconds, maximumFutureSeconds } = settings;
  if (maximumSampleAgeSeconds === null && maximumFutureSeconds === null) return isNeverStale;
  const oldest = addSeconds(now, -(maximumSampleAgeSeconds ?? Number.POSITIVE_INFINITY));
  const latest = addSeconds(now, maximumFutureSeconds ?? Number.POSITIVE_INFINITY);
  return (timestamp) => {
    const taken = instantOf(timestamp);
    return taken !== undefined && (compareInstants(taken, oldest) < 0 || compareInstants(taken, latest) > 0);
  };
}

function isNeverStale(): boolean {
  return false;
}

/** Why a time is stale: `is older than 180 s`. */
export function whyStale(timestamp: Optional<string>, { now, settings }: Evaluation): string {
  const taken = instantOf(timestamp);
  return taken !== undefined && compareInstants(taken, now) > 0
    ? `lies more than ${String(settings.maximumFutureSeconds)} s in the future`
    : `is older than ${String(settings.maximumSampleAgeSeconds)} s`;
}

/** Upstream's words for pods that have no sample, and what became of those that came. */
export function noSamplesLeft({ stale }: Pick<PodReadings, 'stale'>, evaluation: Evaluation): string {
  const none = 'did not receive metrics for targeted pods (pods might be unready)';
  if (stale === null) return none;
  const { count, first } = stale;
  const samples = count === 1 ? 'a sample is' : `${count} samples are`;
  const why = whyStale(first.timestamp, evaluation);
  return `${none}; ${samples} not believed: that of pod ${first.pod} of ${String(first.timestamp)} ${why}`;
}

/** Whether there is a quantity: a name such as `constructor` finds something else on every object. */
export function isQuantityText(value: Optional<QuantityText>): value is QuantityText {
  return typeof value === 'string' || typeof value === 'number';
}

function faultOf({ pod }: PodSample, reading: 'invalid' | Milli): string {
  return reading === 'invalid'
    ? `the sample of pod ${pod} has a value that is no quantity within int64 milli-units`
    : `the sample of pod ${pod} is negative: ${reading}m`;
}

interface MatchedSamples {
  readonly byPod: readonly (PodSample | undefined)[];
  readonly others: readonly PodSample[];
}

function matchSamples(listed: readonly PodSample[], { pods }: SelectedPods): MatchedSamples {
  if (isAligned(listed, pods)) return { byPod: listed, others: none };
  const index = new Map<string, number>();
  for (let at = 0; at < pods.length; at += 1) index.set(pods[at]?.name ?? '', at);
  const byPod = new Array<PodSample | undefined>(pods.length).fill(undefined);
  const others: PodSample[] = [];
  for (const sample of listed) {
    const at = index.get(sample.pod);
    if (at === undefined) others.push(sample);
    else byPod[at] = sample;
  }
  others.sort((a, b) => compareCodePoints(a.pod, b.pod));
  return { byPod, others };
}

/** Sample by sample the same names as pod by pod, which is how lists of one selector usually come. */
function isAligned(listed: readonly PodSample[], pods: readonly ObservedPod[]): boolean {
  if (listed.length !== pods.length) return false;
  for (let at = 0; at < pods.length; at += 1) if (listed[at]?.pod !== pods[at]?.name) return false;
  return true;
}
