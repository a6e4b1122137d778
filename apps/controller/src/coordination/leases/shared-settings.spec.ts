import { describe, expect, it } from '@jest/globals';
import { type Configuration, configurationSchema } from '#configuration';
import { shardScope } from '#ledger';
import { ElectedWorld } from '../election/testing/elected-world.ts';
import { leadershipOf } from '../shards/leadership.ts';
import { modeSaid, SharedSettings } from './shared-settings.ts';

const differ = 'replicas have other settings than this one: each carries its own shards out by its own';
const defaults =
  'replicas of another release have other settings than this one, or other defaults for what is not set: each carries its own shards out by its own';
const alike = 'all replicas have the same settings again';

const base = { mode: 'Act', cluster: { name: 'test' }, namespaces: ['shop'], dataFolder: '/data' };
const b = { identity: 'b', advertisedUrl: null, isOfOtherRelease: false };
const policies = { name: 'policies', url: 'https://git.example.com/policies.git' };

const token = { name: 'ci', sha256: 'ab'.repeat(32), role: 'admin' };

function configurationOf(changes: object = {}): Configuration {
  return configurationSchema.parse({ ...base, sources: [policies], ...changes });
}

/** A replica's settings, and what it says of those of others. */
function settingsOf(changes: object = {}) {
  const logged: unknown[] = [];
  const log = (fields: object, message: string): void => void logged.push([message, fields]);
  let asked = 0;
  // Ten seconds pass between two looks.
  const clock = { now: () => '2026-11-22T12:00:00.000Z', monotonicMilliseconds: () => 10_000 * asked++ };
  const logger = { info: log, warn: log };
  return { logged, settings: new SharedSettings({ configuration: configurationOf(changes), clock, logger }) };
}

/** Looks at the others until half a minute has passed. */
function observe(settings: SharedSettings, others: Parameters<SharedSettings['observe']>[0]): void {
  for (let look = 0; look < 4; look += 1) settings.observe(others);
}

it.each(['Act', 'Observe'])(
  'tells that a replica runs with mode %s by what it says of its settings',
  (mode) => {
    expect(modeSaid(settingsOf({ mode }).settings.text)).toBe(mode);
  },
);

it.each([null, '', 'sources=0f3a9c21', 'mode=00000000'])(
  'knows no mode of a replica that says %p',
  (said) => {
    expect(modeSaid(said)).toBeNull();
  },
);

describe('what two replicas are to have alike', () => {
  it.each([
    { name: 'the mode', changes: { mode: 'Observe' }, want: ['mode'] },
    { name: 'the namespaces', changes: { namespaces: ['shop', 'billing'] }, want: ['namespaces'] },
    { name: 'the cluster', changes: { cluster: { name: 'other' } }, want: ['cluster'] },
    {
      name: 'a source that one does not know',
      changes: { sources: [policies, { ...policies, name: 'others' }] },
      want: ['sources'],
    },
    { name: 'what decides', changes: { settings: { tolerance: 0.2 } }, want: ['settings'] },
    { name: 'the pace', changes: { reconcile: { concurrency: 3 } }, want: ['reconcile'] },
    { name: 'a token that one no longer lets in', changes: { auth: { tokens: [token] } }, want: ['auth'] },
    { name: 'a legal hold', changes: { retention: { legalHold: true } }, want: ['retention'] },
    {
      name: 'a sink of checkpoints that one does not send to',
      changes: { checkpoints: { git: { url: 'https://git.example.com/proof.git' } } },
      want: ['checkpoints'],
    },
    {
      name: 'a file of checkpoints that one does not write',
      changes: { checkpoints: { outputFile: '/proof/checkpoints' } },
      want: ['checkpoints'],
    },
    { name: 'how long series are kept', changes: { series: { retentionDays: 7 } }, want: ['series'] },
    {
      name: 'a report that one does not make',
      changes: { reports: { schedules: [{ name: 'weekly', folder: '/reports' }] } },
      want: ['reports'],
    },
    { name: 'how long owners are believed', changes: { owners: { ttlSeconds: 60 } }, want: ['owners'] },
    { name: 'which series there are', changes: { metrics: { policySeries: 'None' } }, want: ['metrics'] },
    { name: 'which queries are answered', changes: { graphql: { queries: 'Known' } }, want: ['graphql'] },
    {
      name: 'nothing of what is their own',
      changes: {
        dataFolder: '/elsewhere',
        auth: { tokenFile: '/elsewhere/token' },
        graphql: { knownQueriesFile: '/elsewhere/queries.json' },
      },
      want: [],
    },
  ])('is $name', ({ changes, want }) => {
    const { settings, logged } = settingsOf();
    const other = settingsOf(changes).settings.text;
    observe(settings, [{ ...b, advertisedUrl: 'http://b', settings: other }]);
    const differing = [{ replica: 'b', url: 'http://b', settings: want }];
    expect(logged).toEqual(want.length === 0 ? [] : [[differ, { differing }]]);
    expect(settings.differSince).toBe(want.length === 0 ? null : '2026-11-22T12:00:00.000Z');
    expect(settings.difference).toBe(
      want.length === 0 ? null : `the replica b has other settings of ${want[0]}`,
    );
  });

  it.each([
    { names: ['b', 'c'], want: 'the replica b has other settings of mode (and 1 more replica)' },
    { names: ['b', 'c', 'd'], want: 'the replica b has other settings of mode (and 2 more replicas)' },
  ])('names one of the replicas $names, and counts the others', ({ names, want }) => {
    const { settings } = settingsOf();
    const { text } = settingsOf({ mode: 'Observe' }).settings;
    observe(
      settings,
      names.map((identity) => ({ ...b, identity, settings: text })),
    );
    expect(settings.difference).toBe(want);
  });

  it('is said once, and once that it is so again', () => {
    const { settings, logged } = settingsOf();
    const others = [{ ...b, settings: settingsOf({ mode: 'Observe' }).settings.text }];
    observe(settings, others);
    observe(settings, others);
    settings.reconfigure(configurationOf({ mode: 'Observe' }));
    observe(settings, others);
    observe(settings, others);
    expect(logged.map((each) => (each as unknown[])[0])).toEqual([differ, alike]);
    expect([settings.differSince, settings.difference]).toEqual([null, null]);
  });

  it('is not said where it lasts no longer than replicas take to read a file that was changed for all of them', () => {
    const { settings, logged } = settingsOf();
    const others = [{ ...b, settings: settingsOf({ mode: 'Observe' }).settings.text }];
    for (let look = 0; look < 3; look += 1) settings.observe(others);
    settings.reconfigure(configurationOf({ mode: 'Observe' }));
    settings.observe(others);
    expect([logged, settings.differSince]).toEqual([[], null]);
    settings.reconfigure(configurationOf());
    settings.observe(others);
    expect(logged).toEqual([]);
  });

  it('is nothing that a replica of an earlier release says', () => {
    const { settings, logged } = settingsOf();
    observe(settings, [{ ...b, settings: null }]);
    expect(logged).toEqual([]);
  });

  it('is nothing that the release of the other does not have, and all that it has', () => {
    const { settings, logged } = settingsOf();
    const without = (text: string): string => text.replace(/,auth=.*$/, '');
    const earlier = without(settings.text);
    expect(earlier).not.toBe(settings.text);
    observe(settings, [{ ...b, settings: earlier }]);
    expect([logged, settings.differSince]).toEqual([[], null]);

    const observing = without(settingsOf({ mode: 'Observe' }).settings.text);
    observe(settings, [{ ...b, settings: observing }]);
    expect(logged).toEqual([[differ, { differing: [{ replica: 'b', url: null, settings: ['mode'] }] }]]);
  });

  it('may be a default of another release, which is said unless one of this release differs, too', () => {
    const { settings, logged } = settingsOf();
    const other = settingsOf({ reconcile: { concurrency: 3 } }).settings.text;
    const ofOther = { ...b, settings: other, isOfOtherRelease: true };
    const told = { replica: 'b', url: null, settings: ['reconcile'], isOfOtherRelease: true };
    observe(settings, [ofOther]);
    expect(logged).toEqual([[defaults, { differing: [told] }]]);
    observe(settings, [ofOther, { ...b, identity: 'c', settings: other }]);
    const ofThis = { replica: 'c', url: null, settings: ['reconcile'] };
    expect(logged.slice(1)).toEqual([[differ, { differing: [told, ofThis] }]]);
  });

  it('is known of one that lives, and of none that has ended', async () => {
    const world = new ElectedWorld();
    const [one, other] = [settingsOf(), settingsOf({ mode: 'Observe' })];
    const a = world.replica('a', { settings: one.settings });
    const b = world.replica('b', { settings: other.settings });
    await world.start(a, 'a');
    await world.start(b, 'b');
    await world.pass(6, 'a', 'b');
    const ofReplica = (replica: string, url: string) => ({
      differing: [{ replica, url, settings: ['mode'] }],
    });
    expect(one.logged).toEqual([[differ, ofReplica('b', 'http://b:8080')]]);
    expect(other.logged).toEqual([[differ, ofReplica('a', 'http://a:8080')]]);
    const ofStart = { configuration: configurationOf(), leasesForbidden: null };
    for (const replica of [a, b]) {
      const { modeOfHolder } = leadershipOf(replica, ofStart);
      const modes = Array.from({ length: world.layout.shardCount }, (_, shard) => modeOfHolder(shard));
      const isHeld = modes.map((_, shard) => a.holds(shardScope(shard)));
      expect(new Set(isHeld)).toEqual(new Set([true, false]));
      expect(modes).toEqual(isHeld.map((isOfA) => (isOfA ? 'Act' : 'Observe')));
    }
    await b.stop();
    await world.pass(20, 'a');
    expect([one.logged.length, one.settings.differSince]).toEqual([2, null]);
    await a.stop();
  });
});
