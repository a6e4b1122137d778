import {
  type ClockPort,
  describeDoubt,
  type FleetBrake,
  type Reconciler,
  type SettledWindows,
} from '#reconciliation';
import type { CheckpointPublisher } from '../checkpoints/checkpoint-publisher.ts';
import type { Checkpointer } from '../checkpoints/checkpointer.ts';
import type { ClusterOutage } from '../cluster/cluster-outage.ts';
import type { Cluster } from '../cluster/open-cluster.ts';
import type { Holdings } from '../coordination/holdings/holdings.ts';
import type { SharedSettings } from '../coordination/leases/shared-settings.ts';
import type { DeferredLedgerDatabase } from '../database/deferred-ledger-database.ts';
import type { ForgeObserver } from '../forge/forge-observer.ts';
import type { HttpListener } from '../http/http-listener.ts';
import type { OutageJournal } from '../ledger/outage-journal.ts';
import type { Retention } from '../ledger/retention.ts';
import type { ConfigurationReload } from '../reload/configuration-reload.ts';
import type { ReportSchedules } from '../reports/report-schedules.ts';
import { meanwhileText } from './outage-note.ts';

/** What may not work; the console and the documents explain each. */
export const degradationKinds = [
  'ledger',
  'journal',
  'leases',
  'cluster',
  'access',
  'checkpoints',
  'checkpointSinks',
  'configuration',
  'reports',
  'fleetBrake',
  'forges',
  'sessions',
  'clock',
  'keptHpas',
  'retention',
  'certificate',
] as const;

/** Something that does not work, while the API still answers. */
export interface Degradation {
  /**
   * `ledger`: nothing can be recorded. `journal`: what is decided while nothing can be recorded is, or would be, not kept either.
   * `leases`: those that elect replicas cannot be read or renewed, or may not be used. `cluster`: the API server has been away for minutes,
   * or has not answered this process yet.
   * `access`: a Role does not allow what is watched, or Events. `checkpoints`: what is recorded is not sealed. `checkpointSinks`:
   * checkpoints are not sent outside the database. `configuration`: its file says something that is not in force,
   * or another replica has other settings.
   * `reports`: a scheduled report cannot be made or delivered. `fleetBrake`: a source of metrics answers as if its fleet
   * had no load, and what it scales is not scaled in, or is to be stopped and cannot. `forges`: one does not do what it is asked
   * for, so that commits have no status, or nobody knows who allowed them. `sessions`: those of the console are valid at one replica alone.
   * `clock`: it has jumped, and schedules and freezes do not go by it alone. `keptHpas`: HPAs of policies that left cannot be deleted.
   * `retention`: what has expired in the ledger cannot be deleted.
   * `certificate`: the changed one of the API cannot be used, and the one before is still shown; or callers refuse the one that is shown, which has expired or is not valid yet.
   */
  readonly what: (typeof degradationKinds)[number];
  /** RFC 3339. */
  readonly since: string;
  /** Why, where it is known. */
  readonly message: string | null;
}

export interface DegradationsOptions {
  readonly database: Pick<DeferredLedgerDatabase, 'awaitedSince' | 'outage'>;
  readonly fences: Pick<Holdings, 'failingSince' | 'failure' | 'leasesFailingSince' | 'leasesFailure'>;
  readonly journal: Pick<OutageJournal, 'since' | 'reason' | 'refusing' | 'counts'>;
  readonly checkpointer: Pick<Checkpointer, 'failingSince' | 'failureReason'>;
  readonly publisher: Pick<CheckpointPublisher, 'failing'>;
  readonly cluster: Pick<Cluster, 'kubernetes'>;
  readonly clusterOutage: Pick<ClusterOutage, 'find'>;
  readonly reload: Pick<ConfigurationReload, 'unappliedSince' | 'unappliedReason'>;
  readonly sharedSettings: Pick<SharedSettings, 'differSince' | 'difference'>;
  readonly reportSchedules: Pick<ReportSchedules, 'failing'>;
  readonly brake: Pick<FleetBrake, 'closedSince' | 'failing'>;
  readonly forges: Pick<ForgeObserver, 'failing'>;
  readonly reconciler: Pick<Reconciler, 'keptHpas'>;
  readonly windows: Pick<SettledWindows, 'doubt'>;
  readonly retention: Pick<Retention, 'failing'>;
  readonly listener: Pick<HttpListener, 'unusableCertificate'>;
  /** Why this process may not use the Leases by which it was to share the policies; null: it may, or has none. */
  readonly leasesForbidden: string | null;
  /** Whether what sessions are sealed with is the same for all processes that answer. */
  readonly areSessionsShared: boolean;
  readonly clock: Pick<ClockPort, 'now' | 'monotonicMilliseconds'>;
}

/** What does not work now. A probe that takes the console away in an outage helps no operator, so none of it is unready. */
export class Degradations {
  readonly #options: DegradationsOptions;
  readonly #sessionsUnsharedSince: string | null;
  readonly #leasesForbiddenSince: string | null;

  constructor(options: DegradationsOptions) {
    this.#options = options;
    this.#sessionsUnsharedSince = options.areSessionsShared ? null : options.clock.now();
    this.#leasesForbiddenSince = options.leasesForbidden === null ? null : options.clock.now();
  }

  list(): readonly Degradation[] {
    const { database, fences, journal } = this.#options;
    const away = database.outage;
    const ledgers = [database.awaitedSince, away?.since ?? null, fences.failingSince, journal.since];
    const ledger = ledgers.reduce(earlier, null);
    const leases = earlier(this.#leasesForbiddenSince, fences.leasesFailingSince);
    const outage = this.#options.clusterOutage.find();
    const access = this.#refusedSince();
    const checkpoints = this.#options.checkpointer.failingSince;
    const sinks = sinceOf(this.#options.publisher.failing);
    const { reload, sharedSettings } = this.#options;
    const configuration = earlier(reload.unappliedSince, sharedSettings.differSince);
    const reports = sinceOf(this.#options.reportSchedules.failing);
    const { closedSince, failing } = this.#options.brake;
    const found: readonly (readonly [Degradation['what'], string | null | undefined])[] = [
      ['ledger', ledger],
      ['leases', leases],
      ['cluster', outage?.since],
      ['access', access],
      ['checkpoints', checkpoints],
      ['checkpointSinks', sinks],
      ['configuration', configuration],
      ['reports', reports],
      ['fleetBrake', earlier(closedSince, failing?.since ?? null)],
      ['sessions', this.#sessionsUnsharedSince],
    ];
    const messages: Partial<Record<Degradation['what'], string | null | undefined>> = {
      cluster: outage?.message,
      ledger: this.#ledgerReason(),
      leases: this.#options.leasesForbidden ?? fences.leasesFailure,
      fleetBrake: failing?.message,
      checkpoints: this.#options.checkpointer.failureReason,
      configuration: this.#configurationReason(),
    };
    return [
      ...found.flatMap(([what, since]) =>
        typeof since === 'string' ? [{ what, since, message: messages[what] ?? null }] : [],
      ),
      ...failureOf('journal', journal.refusing),
      ...failureOf('certificate', this.#options.listener.unusableCertificate),
      ...failureOf('retention', this.#options.retention.failing),
      ...forgesOf(this.#options.forges.failing),
      ...keptHpasOf(this.#options.reconciler.keptHpas),
      ...doubtOf(this.#options.windows.doubt),
    ];
  }

  /** A database that is reached may take nothing all the same, as on a full disk. */
  #ledgerReason(): string | null {
    const { database, fences, journal } = this.#options;
    const reason = database.outage?.message ?? journal.reason;
    return reason === null ? fences.failure : `${reason}; ${meanwhileText(journal)}`;
  }

  #configurationReason(): string | null {
    const { reload, sharedSettings } = this.#options;
    const reasons = [reload.unappliedReason, sharedSettings.difference].filter((reason) => reason !== null);
    return reasons.length === 0 ? null : reasons.join('; ');
  }

  #refusedSince(): string | null {
    const { informers, events } = this.#options.cluster.kubernetes.health();
    const refused = [...informers, events].flatMap(({ refusedSince }) => refusedSince ?? []);
    if (refused.length === 0) return null;
    const { clock } = this.#options;
    const age = clock.monotonicMilliseconds() - Math.min(...refused);
    return new Date(Date.parse(clock.now()) - age).toISOString();
  }
}

/** The earlier of two times; null: there is none. */
function earlier(one: string | null, other: string | null): string | null {
  if (one === null || other === null) return one ?? other;
  return one < other ? one : other;
}

/** Since when the first of them is so; null: there is none. */
function sinceOf(failing: readonly { readonly since: string }[]): string | null {
  return failing.map(({ since }) => since).reduce(earlier, null);
}

function failureOf(
  what: Degradation['what'],
  failure: Pick<Degradation, 'since' | 'message'> | null,
): readonly Degradation[] {
  return failure === null ? [] : [{ what, ...failure }];
}

/** Every viewer may read it, so it names none of the sources. */
function forgesOf(failing: ForgeObserver['failing']): readonly Degradation[] {
  const since = sinceOf(failing);
  if (since === null) return [];
  const count = new Set(failing.map(({ source }) => source)).size;
  const codes = [...new Set(failing.map(({ code }) => code))].toSorted().join(', ');
  const message = `${codes}: of ${count} ${count === 1 ? 'source' : 'sources'}, which the log names`;
  return [{ what: 'forges', since, message }];
}

/** Every viewer may read it, so it names none of them. */
function keptHpasOf(kept: Reconciler['keptHpas']): readonly Degradation[] {
  const since = sinceOf(kept);
  if (since === null) return [];
  const message = `${kept.length} of policies that left ${kept.length === 1 ? 'is' : 'are'} still there, as far as is known: plimsoll get orphaned-hpas`;
  return [{ what: 'keptHpas', since, message }];
}

function doubtOf(doubt: SettledWindows['doubt']): readonly Degradation[] {
  if (doubt === null) return [];
  const since = new Date(doubt.since).toISOString();
  return [{ what: 'clock', since, message: describeDoubt(doubt) }];
}
