import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { ModeInForce } from '../../../apps/controller/src/configuration/mode-in-force.ts';
import { MetricsServer } from '../../../apps/controller/src/metrics/metrics-server.ts';
import { type AnApplication, anApplication, orRefusal } from './an-application.ts';

jest.setTimeout(60_000);

const policy = (name: string, more = ''): string => `apiVersion: plimsoll.dev/v1alpha1
kind: AutoscalingPolicy
metadata: { name: ${name}, namespace: shop }
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: ${name} }
  maxReplicas: 9
${more}`;

let application: AnApplication;
beforeAll(async () => {
  application = await anApplication({ configuration: { mode: 'Observe' } });
  application.repository.commit('Scale the shop', {
    'web.yaml': policy('web'),
    'cart.yaml': policy('cart', '  dryRun: true\n'),
  });
  await application.nest.init();
  await application.ask(
    `mutation { syncNow(source: "policies") { ... on SyncResult { result } ${orRefusal} } }`,
  );
});
afterAll(() => application.close());

interface Told {
  readonly controllerMode: string;
  readonly fleet: unknown;
  readonly policies: unknown;
  readonly metrics: readonly string[];
}

/** Without states that are about something else. */
function statesOfMode(data: unknown): unknown {
  return JSON.parse(JSON.stringify(data), (key, value: unknown) =>
    key === 'states' && Array.isArray(value)
      ? value.filter((state) => state === 'DryRun' || state === 'Observing')
      : value,
  );
}

/** What is told of the mode, and of the dry runs beside it. */
async function told(): Promise<Told> {
  const readiness = (await (await fetch(`${application.url()}/readyz`)).json()) as Told;
  const { body } = await application.ask(
    '{ fleet { mode } policies { edges { node { name states } } } }',
    'viewer',
  );
  const { fleet, policies } = statesOfMode(body.data) as Told;
  const text = await (await fetch(application.nest.get(MetricsServer).url)).text();
  const metrics = text.split('\n').filter((line) => /^plimsoll_(mode|dry_run_policies)\{/.test(line));
  return { controllerMode: readiness.controllerMode, fleet, policies, metrics };
}

it('is told where people and programs look, for as long as nothing is written', async () => {
  expect(await told()).toEqual({
    controllerMode: 'Observe',
    fleet: { mode: 'Observe' },
    policies: {
      edges: [
        { node: { name: 'cart', states: ['DryRun', 'Observing'] } },
        { node: { name: 'web', states: ['Observing'] } },
      ],
    },
    metrics: [
      'plimsoll_mode{mode="Act",cluster="test"} 0',
      'plimsoll_mode{mode="Observe",cluster="test"} 1',
      'plimsoll_dry_run_policies{cluster="test"} 1',
    ],
  });
  application.nest.get(ModeInForce).reconfigure({ mode: 'Act' });
  expect(await told()).toMatchObject({
    controllerMode: 'Act',
    policies: {
      edges: [{ node: { name: 'cart', states: ['DryRun'] } }, { node: { name: 'web', states: [] } }],
    },
    metrics: [
      'plimsoll_mode{mode="Act",cluster="test"} 1',
      'plimsoll_mode{mode="Observe",cluster="test"} 0',
      expect.any(String),
    ],
  });
});

it('counts the dry runs of operators', async () => {
  const expires = new Date(Date.now() + 3_600_000).toISOString();
  await application.ask(
    `mutation { startDryRun(scope: Namespace, namespace: "shop", expires: "${expires}", reason: "a test") { ... on Intervention { id } ${orRefusal} } }`,
  );
  expect((await told()).metrics).toContain('plimsoll_dry_run_policies{cluster="test"} 2');
});
