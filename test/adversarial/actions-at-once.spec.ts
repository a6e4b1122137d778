import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { canonicalJson, type JsonObject } from '#kernel';
import { type ControllerProcess, sha256Of } from '../e2e/support/controller-process.ts';
import { loadEntries } from '../e2e/support/load-entries.ts';
import { policyText, type ShopWorld, startShopWorld } from '../e2e/support/shop-world.ts';
import { compareRecords } from './storm/compare-records.ts';
import { readLedger } from './storm/read-ledger.ts';
import { recordReplicaWrites, type ReplicaWrite } from './storm/replica-record.ts';
import { SeededRandom } from './support/seeded-random.ts';

jest.setTimeout(240_000);

/** `SEEDS=1,2,3` tries others; `SEEDS` of a failure reproduces what is asked for, though not how it meets. */
const seeds = (process.env['SEEDS'] ?? '1').split(',').map(Number);
const rounds = Number(process.env['ROUNDS'] ?? '12');
const atOnce = 6;

const people = ['ada', 'bob'] as const;
const tokenOf = (person: string): string => `plm_${person}`.padEnd(47, 'x');

/** An action as it was asked for, and what came of it. */
interface Asked {
  readonly reason: string;
  readonly person: string;
  readonly action: string;
  readonly status: number;
  readonly code: string | undefined;
}

interface Call {
  readonly action: string;
  readonly method: 'POST' | 'DELETE';
  readonly path: string;
  readonly body?: object;
}

const bounds = (maximum: number | string): string => policyText.replace('12', String(maximum));
const web = (text: string): string => text.replaceAll('name: checkout', 'name: web');
const file = 'shop/checkout.yaml';

/** What somebody pushes; one of them is not to be believed without a second person, one not to be read. */
const pushes: readonly ((world: ShopWorld, count: number) => string)[] = [
  ({ repository }) => repository.commit('To 12', { [file]: bounds(12) }),
  ({ repository }) => repository.commit('To 14', { [file]: bounds(14) }),
  ({ repository }) => repository.commit('To 3', { [file]: bounds(3) }),
  ({ repository }) => repository.commit('Broken', { [file]: bounds('many') }),
  ({ repository }, count) => repository.rewrite('Forced to 13', { [file]: `# ${count}\n${bounds(13)}` }),
  ({ repository }) => repository.commit('Without web', { 'shop/web.yaml': '# nothing\n' }),
  ({ repository }) => repository.commit('With web', { 'shop/web.yaml': web(bounds(11)) }),
];

describe('actions of two administrators at once, while commits come', () => {
  let world: ShopWorld;
  let controller: ControllerProcess;
  let writes: ReplicaWrite[];
  let random: SeededRandom;
  let asked: Asked[];
  let commits: string[];

  beforeEach(async () => {
    [writes, asked] = [[], []];
    world = await startShopWorld();
    const { simulator } = world;
    const target = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'checkout' };
    const { spec } = simulator.objects.find(target)!;
    simulator.objects.create({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web', namespace: 'shop' },
      spec: JSON.parse(JSON.stringify(spec).replaceAll('"checkout"', '"web"')) as JsonObject,
    });
    for (const name of ['checkout', 'web']) {
      simulator.load.setWorkload(
        { namespace: 'shop', kind: 'Deployment', name },
        { app: { cpu: { kind: 'Constant', value: 2_900 }, share: 'Total' } },
      );
    }
    recordReplicaWrites(simulator, (write) => writes.push(write));
    commits = [world.repository.commit('Begin', { [file]: bounds(12), 'shop/web.yaml': web(bounds(12)) })];
    controller = await world.startController({
      sources: [{ name: 'policies', url: world.repository.url, interval: '1h', unknownApprovers: 'Allowed' }],
      auth: {
        tokens: people.map((name) => ({
          name,
          sha256: sha256Of(tokenOf(name)),
          role: 'admin',
          email: `${name}@example.com`,
        })),
      },
    });
  });
  afterEach(() => world.stop());

  async function ask(person: string, { action, method, path, body = {} }: Call): Promise<void> {
    const reason = `r${asked.length} ${random.below(1_000_000)}`;
    const isPost = method === 'POST';
    const answer = await fetch(
      `${controller.url}/api/v1${path}${isPost ? '' : `?reason=${encodeURIComponent(reason)}`}`,
      {
        method,
        headers: {
          authorization: `Bearer ${tokenOf(person)}`,
          ...(isPost ? { 'content-type': 'application/json' } : {}),
        },
        ...(isPost
          ? { body: JSON.stringify({ ...body, ...(action === 'SyncSource' ? {} : { reason }) }) }
          : {}),
      },
    );
    const text = await answer.text();
    const { code } = JSON.parse(text === '' ? '{}' : text) as { readonly code?: string };
    asked.push({ reason, person, action, status: answer.status, code });
  }

  /** What may be asked for now, some of it of what is gone when it is asked for. */
  async function callsNow(): Promise<readonly Call[]> {
    const { sources, interventions } = await controller.query<{
      readonly sources: readonly [{ readonly holds: readonly { readonly digest: string }[] }];
      readonly interventions: readonly { readonly id: string }[];
    }>('{ sources { holds { digest } } interventions { id } }');
    const source = '/sources/policies';
    const policy = `/policies/shop/${random.pick(['checkout', 'web'])}`;
    const expires = new Date(Date.now() + 3_600_000).toISOString();
    const overridden = { kind: 'Policy', namespace: 'shop', name: 'checkout' };
    return [
      { action: 'SyncSource', method: 'POST', path: `${source}/sync` },
      {
        action: 'RollBackSource',
        method: 'POST',
        path: `${source}/rollback`,
        body: { commit: random.pick(commits) },
      },
      { action: 'ResumeSource', method: 'POST', path: `${source}/resume` },
      { action: 'ReleasePolicy', method: 'POST', path: `${policy}/release`, body: { source: 'policies' } },
      { action: 'ResumeSource', method: 'POST', path: `${policy}/resume`, body: { source: 'policies' } },
      {
        action: 'OverrideReplicas',
        method: 'POST',
        path: '/interventions',
        body: {
          kind: 'Override',
          policy: { namespace: 'shop', name: 'checkout' },
          maxReplicas: 7 + random.below(4),
          expires,
        },
      },
      {
        action: 'SuspendScaling',
        method: 'POST',
        path: '/interventions',
        body: { kind: 'Suspend', scope: overridden, direction: random.pick(['Up', 'Down', 'Both']), expires },
      },
      ...interventions.map(({ id }): Call => ({
        action: 'End',
        method: 'DELETE',
        path: `/interventions/${id}`,
      })),
      ...sources[0].holds.flatMap(({ digest }): readonly Call[] =>
        (['approve', 'reject', 'approve'] as const).map((verb) => ({
          action: verb === 'approve' ? 'ApproveHold' : 'RejectHold',
          method: 'POST',
          path: `${source}/holds/${digest}/${verb}`,
        })),
      ),
    ];
  }

  async function round(): Promise<void> {
    if (random.below(3) > 0) commits.push(random.pick(pushes)(world, commits.length));
    const calls = await callsNow();
    const some = Array.from({ length: atOnce }, () => random.pick(calls));
    // One of them twice, by both.
    const twice = [...some, some[0] ?? calls[0]!];
    await Promise.all(twice.map((call, index) => ask(people[index % 2] ?? 'ada', call)));
  }

  it.each(seeds)('are recorded once each, in order, and nothing else is scaled: seed %i', async (seed) => {
    random = new SeededRandom(seed);
    for (let count = 0; count < rounds; count += 1) await round();
    expect(asked.filter(({ status }) => status >= 500)).toEqual([]);

    const entries = await loadEntries(world.folder);
    const accepted = entries
      .filter(({ kind, payload }) => kind === 'OperatorAction' && payload['outcome'] !== 'Refused')
      .map(({ payload: { actor, reason } }) => ({ person: actor, reason }))
      .filter(({ reason }) => reason !== null);
    const carriedOut = asked
      .filter(({ status, action }) => status < 300 && action !== 'SyncSource')
      .map(({ person, reason }) => ({ person, reason }));
    const inOrder = (some: readonly { readonly reason: unknown }[]) =>
      some.toSorted((one, other) => (JSON.stringify(one.reason) < JSON.stringify(other.reason) ? -1 : 1));
    expect(inOrder(accepted)).toEqual(inOrder(carriedOut));

    // Each change of a document begins where the one before it ended.
    const inForce = new Map<string, string>();
    for (const { kind, stream, payload } of entries) {
      if (kind !== 'PolicyChange') continue;
      expect([stream, canonicalJson(payload['before'] ?? null)]).toEqual([
        stream,
        inForce.get(stream) ?? 'null',
      ]);
      inForce.set(stream, canonicalJson(payload['after'] ?? null));
    }

    await controller.stop();
    const records = await readLedger(`sqlite:${world.folder}/ledger.db`, {
      namespace: 'shop',
      names: ['checkout', 'web'],
    });
    for (const { name, changes, chainFaults } of records) {
      expect([name, chainFaults]).toEqual([name, []]);
      const own = writes.filter(({ workload }) => workload === name);
      expect([name, compareRecords(own, changes).differences]).toEqual([name, []]);
    }
  });
});
