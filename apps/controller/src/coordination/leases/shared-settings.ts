import { createHash } from 'node:crypto';
import type { Configuration } from '#configuration';
import { canonicalJson, counted, type Json } from '#kernel';
import type { ClockPort, ControllerMode } from '#reconciliation';
import type { FieldLogger } from '../../logging/field-logger.ts';

/** A replica, and what it says of its settings; null: nothing, as earlier releases. */
export interface SettingsOfReplica {
  readonly identity: string;
  readonly advertisedUrl: string | null;
  readonly settings: string | null;
  /** Or does not say of which: what it does not set may be another default there. */
  readonly isOfOtherRelease: boolean;
}

export interface SharedSettingsOptions {
  readonly configuration: Configuration;
  readonly clock: Pick<ClockPort, 'now' | 'monotonicMilliseconds'>;
  readonly logger: FieldLogger;
}

/** Where one file is changed for all replicas, each reads it on its own: so long they may differ, and nobody is told. */
const settlingMilliseconds = 30_000;

/** Enough to tell two settings from each other, and too little to tell what they say. */
const digestLength = 8;

/**
 * What replicas are to have alike, since each decides its shards by its own: one with another mode, other namespaces or
 * other sources carries its share of the policies out otherwise than the rest, and which share that is changes. One with
 * other callers, or other queries that are answered, lets in what the rest turn away, and one that leads deletes by its own retention, a legal hold or none, and
 * sends checkpoints to its own sinks. Each says digests of its own in its Lease, and compares those of the others.
 */
export class SharedSettings {
  readonly #options: Pick<SharedSettingsOptions, 'clock' | 'logger'>;
  #text: string;
  /** What was said last: which settings differ, and where. */
  #told = '';
  #differSince: string | null = null;
  /** When the difference that lasts was seen first, by both clocks; null: there is none. */
  #seen: { readonly time: string; readonly milliseconds: number } | null = null;
  #difference: string | null = null;

  constructor({ configuration, ...options }: SharedSettingsOptions) {
    this.#options = options;
    this.#text = digestsOf(configuration);
  }

  /** Its own, as its Lease says them: `mode=0f3a9c21,namespaces=…`. */
  get text(): string {
    return this.#text;
  }

  /** Since when another live replica is known to have others, and not only for a moment, RFC 3339; null: none is. */
  get differSince(): string | null {
    return this.#differSince;
  }

  /** Which settings differ, and where, in one line; null: none is known to. */
  get difference(): string | null {
    return this.#difference;
  }

  /** Has those of another configuration from now on. */
  reconfigure(configuration: Configuration): void {
    this.#text = digestsOf(configuration);
  }

  /** Takes in what the other live replicas say, and tells people of a difference that lasts once, and of its end. */
  observe(others: readonly SettingsOfReplica[]): void {
    const { clock, logger } = this.#options;
    const own = parsed(this.#text);
    const differing = others.flatMap(({ identity, advertisedUrl, settings, isOfOtherRelease }) => {
      const theirs = settings === null ? own : parsed(settings);
      // A setting that the other does not name is one that its release does not have.
      const names = [...own.keys()].filter((name) => theirs.has(name) && theirs.get(name) !== own.get(name));
      const replica = { replica: identity, url: advertisedUrl, settings: names };
      return names.length === 0 ? [] : [isOfOtherRelease ? { ...replica, isOfOtherRelease } : replica];
    });
    if (differing.length === 0) {
      this.#endDifference();
      return;
    }
    const milliseconds = clock.monotonicMilliseconds();
    this.#seen ??= { time: clock.now(), milliseconds };
    const text = JSON.stringify(differing);
    if (text === this.#told || milliseconds - this.#seen.milliseconds < settlingMilliseconds) return;
    this.#told = text;
    this.#differSince ??= this.#seen.time;
    this.#difference = describeDifference(differing);
    const mayBeDefaults = differing.every((each) => 'isOfOtherRelease' in each);
    logger.warn(
      { differing },
      mayBeDefaults
        ? 'replicas of another release have other settings than this one, or other defaults for what is not set: each carries its own shards out by its own'
        : 'replicas have other settings than this one: each carries its own shards out by its own',
    );
  }

  #endDifference(): void {
    const since = this.#differSince;
    [this.#told, this.#seen, this.#differSince, this.#difference] = ['', null, null, null];
    if (since !== null) this.#options.logger.info({ since }, 'all replicas have the same settings again');
  }
}

/** Of many replicas the first is named: the others differ from this one in the same, or from each other. */
function describeDifference([first, ...others]: readonly {
  readonly replica: string;
  readonly settings: readonly string[];
}[]): string | null {
  if (first === undefined) return null;
  const more = others.length === 0 ? '' : ` (and ${counted(others.length, 'more replica')})`;
  return `the replica ${first.replica} has other settings of ${first.settings.join(', ')}${more}`;
}

/** Without what is a process's own, as addresses and folders. */
function digestsOf(configuration: Configuration): string {
  const { cluster, namespaces, strictNamespaces, mode, sources, prometheusServers } = configuration;
  const { recommenderHosts, settings, owners, reconcile, interventions, fleetBrake } = configuration;
  const { auth, checkpoints, retention, series, reports, metrics, graphql } = configuration;
  const shared: Readonly<Record<string, unknown>> = {
    cluster: cluster.name,
    namespaces,
    strictNamespaces,
    mode,
    sources,
    prometheusServers,
    recommenderHosts,
    settings,
    owners,
    reconcile,
    interventions,
    fleetBrake,
    // Where the one-time administrator token is written is a process's own, and so are the files of checkpoints.
    auth: { ...auth, tokenFile: null },
    checkpoints: { ...checkpoints, keyFile: null, outputFile: checkpoints.outputFile !== undefined },
    retention,
    series,
    reports,
    metrics,
    // Where the known queries are is a process's own.
    graphql: { ...graphql, knownQueriesFile: null },
  };
  return Object.entries(shared)
    .map(([name, value]) => `${name}=${digestOf(value)}`)
    .join(',');
}

const modes: readonly ControllerMode[] = ['Act', 'Observe'];

/** The mode of a replica, by what it says of its settings; null: it does not say. */
export function modeSaid(settings: string | null): ControllerMode | null {
  const digest = settings === null ? undefined : parsed(settings).get('mode');
  return modes.find((mode) => digestOf(mode) === digest) ?? null;
}

function digestOf(value: unknown): string {
  const text = canonicalJson(JSON.parse(JSON.stringify(value ?? null)) as Json);
  return createHash('sha256').update(text).digest('hex').slice(0, digestLength);
}

function parsed(text: string): ReadonlyMap<string, string> {
  return new Map(
    text.split(',').map((each) => {
      const [name = '', digest = ''] = each.split('=', 2);
      return [name, digest];
    }),
  );
}
