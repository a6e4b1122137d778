import { expect, it } from '@jest/globals';
import { AdapterError } from '#kernel';
import type { FleetBrake, Reconciler, SettledWindows } from '#reconciliation';
import { ClusterOutage } from '../cluster/cluster-outage.ts';
import type { Cluster } from '../cluster/open-cluster.ts';
import type { DatabaseOutage } from '../database/database-away.ts';
import type { ForgeObserver } from '../forge/forge-observer.ts';
import type { HttpListener } from '../http/http-listener.ts';
import type { OutageJournal } from '../ledger/outage-journal.ts';
import type { Retention } from '../ledger/retention.ts';
import { Degradations } from './degradations.ts';
import { Readiness } from './readiness.ts';

interface Given {
  readonly awaitedSince?: string;
  readonly outage?: DatabaseOutage;
  readonly failingSince?: string;
  readonly failure?: string;
  readonly leasesFailingSince?: string;
  readonly leasesFailure?: string;
  readonly unsealedSince?: string;
  readonly unsealedReason?: string;
  readonly journalSince?: string;
  readonly journalReason?: string;
  readonly refusing?: OutageJournal['refusing'];
  readonly unsentSince?: readonly string[];
  readonly unappliedSince?: string;
  readonly unappliedReason?: string;
  readonly differSince?: string;
  readonly difference?: string;
  readonly unreportedSince?: readonly string[];
  readonly closedSince?: string;
  readonly areSessionsShared?: boolean;
  readonly leasesForbidden?: string;
  readonly doubt?: SettledWindows['doubt'];
  readonly failing?: FleetBrake['failing'];
  readonly forges?: ForgeObserver['failing'];
  readonly keptHpas?: Reconciler['keptHpas'];
  readonly unusableCertificate?: HttpListener['unusableCertificate'];
  readonly undeleted?: Retention['failing'];
  readonly informers?: readonly {
    readonly isWatching: boolean;
    readonly freshAt: number | undefined;
    readonly reachedAt?: number;
    readonly refusedSince?: number;
    readonly lastFailure?: AdapterError;
  }[];
  readonly eventsRefusedSince?: number;
}

function degradationsOf({
  awaitedSince,
  outage,
  failingSince,
  failure,
  leasesFailingSince,
  leasesFailure,
  unsealedSince,
  unsealedReason,
  journalSince,
  journalReason,
  refusing,
  unsentSince = [],
  unappliedSince,
  unappliedReason,
  differSince,
  difference,
  unreportedSince = [],
  closedSince,
  areSessionsShared = true,
  leasesForbidden,
  doubt = null,
  failing = null,
  forges,
  keptHpas,
  unusableCertificate,
  undeleted,
  informers = [],
  eventsRefusedSince: refusedSince,
}: Given): Degradations {
  const unlisted = informers.filter(({ freshAt }) => freshAt === undefined);
  const health = () => ({ informers, unlisted, events: { refusedSince } });
  const cluster = { kubernetes: { health } } as unknown as Pick<Cluster, 'kubernetes'>;
  const clock = { now: () => '2026-11-22T12:00:00.000Z', monotonicMilliseconds: () => 600_000 };
  return new Degradations({
    database: { awaitedSince: orNull(awaitedSince), outage: outage ?? null },
    fences: {
      ...{ failingSince: orNull(failingSince), failure: orNull(failure) },
      ...{ leasesFailingSince: orNull(leasesFailingSince), leasesFailure: orNull(leasesFailure) },
    },
    journal: {
      since: orNull(journalSince),
      reason: orNull(journalReason),
      refusing: orNull(refusing),
      counts: { records: 3, bytes: 600, refusals: 0 },
    },
    checkpointer: { failingSince: orNull(unsealedSince), failureReason: orNull(unsealedReason) },
    publisher: { failing: unsentSince.map((since) => ({ sink: 'http', since })) },
    reload: { unappliedSince: orNull(unappliedSince), unappliedReason: orNull(unappliedReason) },
    sharedSettings: { differSince: orNull(differSince), difference: orNull(difference) },
    reportSchedules: { failing: unreportedSince.map((since) => ({ schedule: 'weekly', since })) },
    brake: { closedSince: orNull(closedSince), failing },
    forges: { failing: listOf(forges) },
    reconciler: { keptHpas: listOf(keptHpas) },
    windows: { doubt },
    retention: { failing: orNull(undeleted) },
    listener: { unusableCertificate: orNull(unusableCertificate) },
    areSessionsShared,
    leasesForbidden: orNull(leasesForbidden),
    cluster,
    clusterOutage: new ClusterOutage({ cluster, clock }),
    clock,
  });
}

function orNull<T>(known: T | undefined): T | null {
  return known ?? null;
}

function listOf<T>(known: readonly T[] | undefined): readonly T[] {
  return known ?? [];
}

/** Of a namespace that not every viewer may know. */
const path = 'GET /api/v1/namespaces/secret/pods';
const refused = new AdapterError({
  code: 'NotConnected',
  message: `${path}: connect ECONNREFUSED 10.0.0.1:443`,
  retryable: true,
  cause: new Error('connect ECONNREFUSED 10.0.0.1:443'),
});
const answered = new AdapterError({ code: 'ServerError', message: `${path}: 500`, retryable: true });

interface Row {
  readonly name: string;
  readonly given: Given;
  readonly want: readonly { readonly what: string; readonly since: string; readonly message?: string }[];
  readonly message?: string;
}

it.each<Row>([
  { name: 'nothing', given: {}, want: [] },
  {
    name: 'sessions that one replica alone knows',
    given: { areSessionsShared: false },
    want: [{ what: 'sessions', since: '2026-11-22T12:00:00.000Z' }],
  },
  {
    name: 'a ledger that takes nothing',
    given: {
      failingSince: '2026-11-22T11:59:00.000Z',
      failure: 'could not renew the scopes: canceling statement due to lock timeout',
    },
    want: [{ what: 'ledger', since: '2026-11-22T11:59:00.000Z' }],
    message: 'could not renew the scopes: canceling statement due to lock timeout',
  },
  {
    name: 'a database that a start waits for',
    given: { awaitedSince: '2026-11-22T11:59:00.000Z' },
    want: [{ what: 'ledger', since: '2026-11-22T11:59:00.000Z' }],
  },
  {
    name: 'a database that is not reached, what came of the latest request, and what goes on',
    given: {
      outage: {
        since: '2026-11-22T11:57:00.000Z',
        code: 'ConnectionFailed',
        message: 'connect ECONNREFUSED',
      },
      failingSince: '2026-11-22T11:57:02.000Z',
    },
    want: [{ what: 'ledger', since: '2026-11-22T11:57:00.000Z' }],
    message:
      'connect ECONNREFUSED; policies in force are decided from memory, the journal keeps what is decided (3 records wait), and nothing is scaled until the database is back',
  },
  {
    name: 'a database that answers and takes nothing, why, and what goes on',
    given: { journalSince: '2026-11-22T11:58:00.000Z', journalReason: 'database or disk is full' },
    want: [{ what: 'ledger', since: '2026-11-22T11:58:00.000Z' }],
    message:
      'database or disk is full; policies in force are decided from memory, the journal keeps what is decided (3 records wait), and nothing is scaled until the database is back',
  },
  {
    name: 'Leases that are not renewed',
    given: {
      leasesFailingSince: '2026-11-22T11:59:00.000Z',
      leasesFailure: 'the Leases could not be looked at or renewed: 403',
    },
    want: [{ what: 'leases', since: '2026-11-22T11:59:00.000Z' }],
    message: 'the Leases could not be looked at or renewed: 403',
  },
  {
    name: 'Leases that a Role forbids, so that nothing is shared',
    given: { leasesForbidden: 'it may not create Leases in plimsoll' },
    want: [{ what: 'leases', since: '2026-11-22T12:00:00.000Z' }],
    message: 'it may not create Leases in plimsoll',
  },
  {
    name: 'a fleet brake that holds a source of metrics',
    given: { closedSince: '2026-11-22T11:59:00.000Z' },
    want: [{ what: 'fleetBrake', since: '2026-11-22T11:59:00.000Z' }],
  },
  {
    name: 'forges that do not do what they are asked for',
    given: {
      forges: [
        { source: 'shop', since: '2026-11-22T11:59:00.000Z', code: 'RateLimited' },
        { source: 'shop', since: '2026-11-22T11:57:00.000Z', code: 'AuthenticationFailed' },
        { source: 'bank', since: '2026-11-22T11:58:00.000Z', code: 'RateLimited' },
      ],
    },
    want: [{ what: 'forges', since: '2026-11-22T11:57:00.000Z' }],
    message: 'AuthenticationFailed, RateLimited: of 2 sources, which the log names',
  },
  {
    name: 'a fleet brake that cannot hold a source of metrics',
    given: { failing: { since: '2026-11-22T11:58:00.000Z', message: 'it cannot hold what a source scales' } },
    want: [{ what: 'fleetBrake', since: '2026-11-22T11:58:00.000Z' }],
    message: 'it cannot hold what a source scales',
  },
  {
    name: 'HPAs that cannot be deleted, and none of their names',
    given: {
      keptHpas: [
        { since: '2026-11-22T11:59:00.000Z', message: 'shop is frozen', isSeen: true },
        { since: '2026-11-22T11:50:00.000Z', message: 'bank is frozen', isSeen: false },
      ],
    },
    want: [{ what: 'keptHpas', since: '2026-11-22T11:50:00.000Z' }],
    message: '2 of policies that left are still there, as far as is known: plimsoll get orphaned-hpas',
  },
  {
    name: 'a clock that has jumped',
    given: {
      doubt: {
        jumpMilliseconds: -3_600_000,
        since: Date.parse('2026-11-22T11:59:00Z'),
        believedAt: Date.parse('2026-11-22T12:04:00Z'),
      },
    },
    want: [{ what: 'clock', since: '2026-11-22T11:59:00.000Z' }],
    message:
      'the clock was set back by 3600 s: until 2026-11-22T12:04:00.000Z schedules and freezes act as by either time',
  },
  {
    name: 'a ledger that took no decision, since before it took no renewal',
    given: { failingSince: '2026-11-22T11:59:00.000Z', journalSince: '2026-11-22T11:58:00.000Z' },
    want: [{ what: 'ledger', since: '2026-11-22T11:58:00.000Z' }],
  },
  {
    name: 'a journal that is full',
    given: {
      journalSince: '2026-11-22T11:58:00.000Z',
      refusing: { since: '2026-11-22T11:59:00.000Z', message: 'the journal is full (1500 bytes)' },
    },
    want: [
      { what: 'ledger', since: '2026-11-22T11:58:00.000Z' },
      {
        what: 'journal',
        since: '2026-11-22T11:59:00.000Z',
        message: 'the journal is full (1500 bytes)',
      },
    ],
  },
  {
    name: 'checkpoints that cannot be made',
    given: { unsealedSince: '2026-11-22T11:59:00.000Z', unsealedReason: 'there is no key' },
    want: [{ what: 'checkpoints', since: '2026-11-22T11:59:00.000Z' }],
    message: 'there is no key',
  },
  {
    name: 'sinks that take no checkpoints, since the first of them does not',
    given: { unsentSince: ['2026-11-22T11:59:00.000Z', '2026-11-22T11:58:00.000Z'] },
    want: [{ what: 'checkpointSinks', since: '2026-11-22T11:58:00.000Z' }],
  },
  {
    name: 'a changed certificate that cannot be used',
    given: {
      unusableCertificate: { since: '2026-11-22T11:59:00.000Z', message: 'key values mismatch' },
    },
    want: [{ what: 'certificate', since: '2026-11-22T11:59:00.000Z' }],
    message: 'key values mismatch',
  },
  {
    name: 'a ledger of which nothing can be deleted',
    given: { undeleted: { since: '2026-11-22T11:59:00.000Z', message: 'it lets nobody in' } },
    want: [{ what: 'retention', since: '2026-11-22T11:59:00.000Z' }],
    message: 'it lets nobody in',
  },
  {
    name: 'a configuration that is not in force',
    given: { unappliedSince: '2026-11-22T11:59:00.000Z' },
    want: [{ what: 'configuration', since: '2026-11-22T11:59:00.000Z' }],
  },
  {
    name: 'replicas of different settings',
    given: {
      unappliedSince: '2026-11-22T11:59:00.000Z',
      unappliedReason: 'plimsoll.yaml:2:7: mode: it wants one of Observe, Act',
      differSince: '2026-11-22T11:58:00.000Z',
      difference: 'the replica b has other settings of mode',
    },
    want: [{ what: 'configuration', since: '2026-11-22T11:58:00.000Z' }],
    message:
      'plimsoll.yaml:2:7: mode: it wants one of Observe, Act; the replica b has other settings of mode',
  },
  {
    name: 'an API server that has been away for minutes, since one of the caches that miss it heard of it last',
    given: {
      informers: [
        { isWatching: false, freshAt: 400_000, reachedAt: 400_000, lastFailure: answered },
        { isWatching: false, freshAt: 300_000, reachedAt: 435_000, lastFailure: refused },
      ],
    },
    want: [{ what: 'cluster', since: '2026-11-22T11:57:15.000Z' }],
    message: 'connect ECONNREFUSED 10.0.0.1:443',
  },
  {
    name: 'an API server that has never answered, since the process began, and what came of the latest attempt',
    given: { informers: [{ isWatching: false, freshAt: undefined, lastFailure: refused }] },
    want: [{ what: 'cluster', since: '2026-11-22T12:00:00.000Z' }],
    message: 'connect ECONNREFUSED 10.0.0.1:443',
  },
  {
    name: 'no first list that is still under way',
    given: { informers: [{ isWatching: false, freshAt: undefined }] },
    want: [],
  },
  {
    name: 'what a Role refuses, since it does, and no outage',
    given: {
      informers: [
        { isWatching: false, freshAt: 300_000, refusedSince: 540_000 },
        { isWatching: false, freshAt: undefined, refusedSince: 570_000 },
      ],
    },
    want: [{ what: 'access', since: '2026-11-22T11:59:00.000Z' }],
  },
  {
    name: 'Events that a Role refuses, since it does',
    given: {
      informers: [{ isWatching: false, freshAt: 300_000, refusedSince: 570_000 }],
      eventsRefusedSince: 480_000,
    },
    want: [{ what: 'access', since: '2026-11-22T11:58:00.000Z' }],
  },
  {
    name: 'no watch that begins again',
    given: { informers: [{ isWatching: false, freshAt: 599_000 }] },
    want: [],
  },
  { name: 'no cache that is watched', given: { informers: [{ isWatching: true, freshAt: 0 }] }, want: [] },
])('names $name, and is ready all the same', ({ given, want, message = null }) => {
  const degradations = degradationsOf(given);
  expect(degradations.list()).toEqual(want.map((each) => ({ message, ...each })));
  const readiness = new Readiness({
    fences: { role: 'active' },
    leadership: { mode: 'OneProcess', reason: 'the database is SQLite' },
    controller: { mode: 'Observe' },
    degradations,
    checks: [],
  });
  expect(readiness.report()).toEqual({
    ready: true,
    role: 'active',
    mode: { kind: 'OneProcess', reason: 'the database is SQLite' },
    controllerMode: 'Observe',
    // Anybody may ask for it.
    degraded: want.map(({ what, since }) => ({ what, since })),
    checks: [],
  });
});

it('names one moment as that of an outage, however often it is asked', () => {
  const time = { wall: Date.parse('2026-11-22T12:00:00.000Z'), monotonic: 0 };
  const clock = {
    now: () => new Date(time.wall).toISOString(),
    monotonicMilliseconds: () => time.monotonic,
  };
  const informers = [{ isWatching: false, freshAt: undefined, lastFailure: refused }];
  const kubernetes = { health: () => ({ informers, unlisted: informers }) };
  const cluster = { kubernetes } as unknown as Pick<Cluster, 'kubernetes'>;
  const outage = new ClusterOutage({ cluster, clock });
  const first = outage.find();
  [time.wall, time.monotonic] = [time.wall + 5_001, time.monotonic + 5_000];
  expect(outage.find()).toEqual(first);
});
