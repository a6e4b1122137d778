import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { parse, stringify } from 'yaml';
import { openLedgerDatabase, SqlLedger } from '#adapter-sql';
import { adminStream } from '#ledger';
import {
  type ControllerProcess,
  type LogEntry,
  testToken,
  viewerToken,
} from './support/controller-process.ts';
import { createPolicyRepository } from './support/policy-repository.ts';
import { policyText, type ShopWorld, startShopWorld } from './support/shop-world.ts';
import { soon } from './support/soon.ts';

jest.setTimeout(180_000);

const target = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'checkout' };
const inForce = 'the changed configuration is in force';
const invalid = 'the changed configuration is invalid; the one before it stays';
const restartNeeded = 'the changed configuration needs a restart; the one before it stays';

const sourcesQuery = `{ sources { name ref holds { causes { code message } } lastSync { result } } }`;

interface SourceView {
  readonly name: string;
  readonly ref: string;
  readonly holds: readonly {
    readonly causes: readonly { readonly code: string; readonly message: string }[];
  }[];
  readonly lastSync: { readonly result: string } | null;
}

type Change = (configuration: Record<string, unknown>) => void;

describe('a configuration that changes while the controller runs', () => {
  let world: ShopWorld;
  let file: string;

  beforeEach(async () => {
    world = await startShopWorld();
    file = join(world.folder, 'plimsoll.yaml');
    world.repository.commit('Add policy', { 'shop/checkout.yaml': policyText });
  });
  afterEach(() => world.stop());

  /** Writes it beside the file and renames it, as editors and Kubernetes do. */
  async function change(edit: Change): Promise<void> {
    const configuration = parse(await readFile(file, 'utf8')) as Record<string, unknown>;
    edit(configuration);
    await replace(stringify(configuration));
  }

  async function replace(text: string): Promise<void> {
    await writeFile(`${file}.next`, text);
    await rename(`${file}.next`, file);
  }

  const lines = ({ log }: ControllerProcess, message: string): readonly LogEntry[] =>
    log.filter(({ msg }) => msg === message);

  const untilLogged = (controller: ControllerProcess, message: string, count = 1): Promise<LogEntry> =>
    soon(message, () => {
      const found = lines(controller, message);
      return found.length >= count ? found.at(-1) : undefined;
    });

  async function degraded({ url }: ControllerProcess): Promise<readonly string[]> {
    const answer = await fetch(`${url}/readyz`);
    const report = (await answer.json()) as { readonly degraded: readonly { readonly what: string }[] };
    expect(answer.status).toBe(200);
    return report.degraded.map(({ what }) => what);
  }

  const untilDegraded = (controller: ControllerProcess, what: readonly string[]): Promise<true> =>
    soon(`degraded: ${what.join()}`, async () =>
      JSON.stringify(await degraded(controller)) === JSON.stringify(what) ? true : undefined,
    );

  async function metric({ log }: ControllerProcess, name: string): Promise<readonly string[]> {
    const url = String(log.findLast(({ metricsUrl }) => metricsUrl !== undefined)?.['metricsUrl']);
    return (await (await fetch(url)).text()).split('\n').filter((line) => line.startsWith(name));
  }

  /** Millicores of all pods together. */
  function useCpu(value: number): void {
    world.simulator.load.setWorkload(
      { namespace: 'shop', kind: 'Deployment', name: 'checkout' },
      { app: { cpu: { kind: 'Constant', value }, share: 'Total' } },
    );
  }

  const replicas = (): unknown => {
    const spec = world.simulator.objects.find(target)?.['spec'];
    return (spec as { readonly replicas?: number } | undefined)?.replicas;
  };

  async function settingsChanges(): Promise<
    readonly { readonly before: unknown; readonly after: unknown }[]
  > {
    const database = await openLedgerDatabase({ url: `sqlite:${join(world.folder, 'ledger.db')}` });
    try {
      const { items } = await new SqlLedger(database.sql).entries({
        kinds: ['SettingsChange'],
        stream: adminStream,
        order: 'OldestFirst',
        limit: 100,
      });
      return items.flatMap(({ entry }) => (entry.kind === 'SettingsChange' ? [entry.payload] : []));
    } finally {
      await database.close();
    }
  }

  const sources = async (controller: ControllerProcess): Promise<readonly SourceView[]> =>
    (await controller.query<{ sources: readonly SourceView[] }>(sourcesQuery)).sources;

  it('acts from Observe, by other settings, and says so in the ledger', async () => {
    useCpu(1_260);
    const controller = await world.startController({ mode: 'Observe' });
    await change((configuration) => {
      configuration['mode'] = 'Act';
      configuration['interventions'] = { maximumHours: 72 };
      configuration['settings'] = { ...(configuration['settings'] as object), tolerance: 0.01 };
    });
    expect(await untilLogged(controller, inForce)).toMatchObject({
      changed: ['mode', 'interventions.maximumHours', 'settings.tolerance'],
    });
    expect(await controller.query('{ fleet { maximumInterventionHours } }')).toEqual({
      fleet: { maximumInterventionHours: 72 },
    });
    // 1,260 of 2,000 m are 63 %: of a target of 60 % within the former tolerance, and not within this one.
    await soon('a scaling', () => (replicas() === 5 ? true : undefined));
    expect(await metric(controller, 'plimsoll_configuration_reloads_total')).toEqual([
      expect.stringContaining('result="applied"'),
    ]);
    expect(await metric(controller, 'plimsoll_mode')).toEqual([
      expect.stringMatching(/"Act".* 1$/),
      expect.stringMatching(/"Observe".* 0$/),
    ]);
    expect(await controller.stop()).toBe(0);
    expect(await settingsChanges()).toMatchObject([
      { before: null, after: { mode: 'Observe' } },
      { before: { mode: 'Observe' }, after: { mode: 'Act', settings: { tolerance: 0.01 } } },
    ]);
    expect(lines(controller, 'carrying out policies')).toHaveLength(1);
  });

  it('stops writing as soon as it only observes', async () => {
    const controller = await world.startController();
    await change((configuration) => (configuration['mode'] = 'Observe'));
    await untilLogged(controller, inForce);
    useCpu(4_000);
    await soon('a decision that is not carried out', async () => {
      const { policies } = await controller.query<{
        policies: { edges: readonly { node: { status: { message: string } | null } }[] };
      }>('{ policies(first: 1) { edges { node { status { message } } } } }');
      const message = policies.edges[0]?.node.status?.message ?? '';
      return /Observe/.test(message) ? true : undefined;
    });
    expect(replicas()).toBe(4);
  });

  it('holds what would leave by it, and follows sources that are added, removed and added again', async () => {
    const other = createPolicyRepository(join(world.folder, 'other'));
    other.commit('Add policy', { 'shop/web.yaml': policyText.replaceAll('checkout', 'web') });
    const controller = await world.startController();
    await change((configuration) => {
      const [first] = configuration['sources'] as readonly object[];
      configuration['sources'] = [
        { ...first, path: 'elsewhere' },
        { name: 'other', url: other.url, interval: '1s' },
      ];
    });
    expect(await untilLogged(controller, inForce)).toMatchObject({ changed: ['sources'] });
    const heldCodes = async (name: string): Promise<readonly string[] | undefined> => {
      const found = (await sources(controller)).find((source) => source.name === name);
      const codes = (found?.holds ?? []).flatMap(({ causes }) => causes.map(({ code }) => code));
      return codes.includes('SourceChanged') ? codes : undefined;
    };
    await soon('a held change of a source', () => heldCodes('policies'));
    await soon('the policy of the other source', async () => {
      const { policies } = await controller.query<{ policies: { edges: readonly object[] } }>(
        '{ policies(first: 10) { edges { node { name } } } }',
      );
      return policies.edges.length === 2 ? true : undefined;
    });
    await change((configuration) => {
      const [first] = configuration['sources'] as readonly Record<string, unknown>[];
      configuration['sources'] = [{ ...first, path: '' }];
    });
    await untilLogged(controller, inForce, 2);
    await soon('no hold of the source that is as before', async () =>
      (await heldCodes('policies')) === undefined ? true : undefined,
    );
    await soon('a held removal of the other source', () => heldCodes('other'));
    await change((configuration) => {
      const [first] = configuration['sources'] as readonly object[];
      configuration['sources'] = [first, { name: 'other', url: other.url, interval: '1s' }];
    });
    await untilLogged(controller, inForce, 3);
    await soon('a look at the source that came back', async () => {
      const found = (await sources(controller)).find(({ name }) => name === 'other');
      return found?.lastSync?.result === 'unchanged' && found.holds.length === 0 ? true : undefined;
    });
    expect(await controller.stop()).toBe(0);
    expect(controller.log.filter(({ level }) => Number(level) >= 50)).toEqual([]);
  });

  it('stays as it was where the file is invalid, and names the place', async () => {
    const controller = await world.startController();
    const before = await readFile(file, 'utf8');
    await replace(`${before}listne: {port: 1}\n`);
    expect(await untilLogged(controller, invalid)).toMatchObject({
      problems: [expect.stringMatching(/plimsoll\.yaml:\d+:\d+: listne: no such setting/)],
    });
    await untilDegraded(controller, ['configuration']);
    expect(await metric(controller, 'plimsoll_configuration_reloads_total')).toEqual([
      expect.stringMatching(/result="invalid".* 1$/),
    ]);
    expect(await metric(controller, 'plimsoll_degraded')).toEqual([
      expect.stringMatching(/configuration.* 1$/),
    ]);
    await replace('{');
    await untilLogged(controller, invalid, 2);
    await replace(before);
    await untilDegraded(controller, []);
    expect(await settingsChangesAfter(controller)).toBe(1);
  });

  it('names what needs a restart, and applies nothing of the change', async () => {
    const controller = await world.startController();
    await change((configuration) => {
      configuration['mode'] = 'Observe';
      configuration['namespaces'] = ['shop', 'bank'];
      configuration['owners'] = { ttlSeconds: 60 };
    });
    expect(await untilLogged(controller, restartNeeded)).toMatchObject({
      settings: ['namespaces', 'owners.ttlSeconds'],
      changed: ['mode', 'namespaces', 'owners.ttlSeconds'],
    });
    await untilDegraded(controller, ['configuration']);
    expect(await settingsChangesAfter(controller)).toBe(1);
  });

  it('changes who may call, and what the log says', async () => {
    const controller = await world.startController();
    const statusOf = async (token: string): Promise<number> => {
      const answer = await fetch(`${controller.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
        body: JSON.stringify({ query: '{ sources { name } }' }),
      });
      return answer.status;
    };
    expect([await statusOf(testToken), await statusOf(viewerToken)]).toEqual([200, 200]);
    await change((configuration) => {
      configuration['log'] = { format: 'json', level: 'warn' };
      const { tokens } = configuration['auth'] as { readonly tokens: readonly { readonly name: string }[] };
      configuration['auth'] = { tokens: tokens.filter(({ name }) => name === 'viewer') };
    });
    await soon('a refused token', async () => ((await statusOf(testToken)) === 401 ? true : undefined));
    expect(await statusOf(viewerToken)).toBe(200);
    await change((configuration) => (configuration['log'] = { format: 'json', level: 'info' }));
    await untilLogged(controller, inForce);
    expect(lines(controller, inForce)).toMatchObject([{ changed: ['log.level'] }]);
  });

  it.each(['startScript', 'launcher'] as const)(
    'is read anew by SIGHUP, which ends nothing: %s',
    async (by) => {
      const controller = await world.startController({}, { by });
      process.kill(controller.pid, 'SIGHUP');
      await untilLogged(controller, 'looking at the configuration');
      expect(lines(controller, inForce)).toEqual([]);
      await change((configuration) => (configuration['strictNamespaces'] = true));
      process.kill(controller.pid, 'SIGHUP');
      await untilLogged(controller, 'looking at the configuration', 2);
      await untilLogged(controller, inForce);
      expect(await controller.stop()).toBe(0);
    },
  );

  /** How many changes of settings the ledger has once the controller has ended. */
  async function settingsChangesAfter(controller: ControllerProcess): Promise<number> {
    expect(await controller.stop()).toBe(0);
    return (await settingsChanges()).length;
  }
});
