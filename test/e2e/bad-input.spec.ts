import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { ControllerProcess } from './support/controller-process.ts';
import { policyText, type ShopWorld, startShopWorld } from './support/shop-world.ts';
import { soon } from './support/soon.ts';

jest.setTimeout(180_000);

const target = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'checkout' };
const hpa = { ...target, apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler' };
const usagePath = '/apis/metrics.k8s.io/v1beta1/namespaces/shop/pods';

interface Status {
  readonly outcome: string;
  readonly reason: string;
  readonly message: string;
  readonly time: string;
  readonly conditions: readonly { readonly type: string; readonly message: string }[];
}

const statusQuery = `{ policies(first: 1) { edges { node {
  status { outcome reason message time conditions { type message } }
} } } }`;

let world: ShopWorld;
let controller: ControllerProcess;

beforeAll(async () => {
  world = await startShopWorld();
  world.repository.commit('Add policy', { 'shop/checkout.yaml': policyText });
  controller = await world.startController();
});
afterAll(() => world.stop());

async function status(): Promise<Status | undefined> {
  const { policies } = await controller.query<{
    policies: { edges: readonly { node: { status: Status | null } }[] };
  }>(statusQuery);
  return policies.edges[0]?.node.status ?? undefined;
}

const sentences = ({ outcome, reason, message, conditions }: Status): readonly string[] => [
  `${outcome} ${reason} ${message}`,
  ...conditions.map((condition) => `${condition.type} ${condition.message}`),
];

/** Waits until the policy says it, and for two more passes that see the same. */
async function untilSaid(want: RegExp): Promise<string> {
  let last: readonly string[] = [];
  const said = async (after: string): Promise<Status | undefined> => {
    const found = await status();
    if (found === undefined || found.time <= after) return undefined;
    last = sentences(found);
    return last.some((text) => want.test(text)) ? found : undefined;
  };
  const say = async (after: string): Promise<Status> =>
    soon(String(want), () => said(after)).catch((error: unknown) => {
      throw new Error(`${String(want)} is not said, but: ${last.join(' | ')}`, { cause: error });
    });
  const first = await say('');
  const second = await say(first.time);
  const third = await say(second.time);
  return sentences(third).find((text) => want.test(text)) ?? '';
}

const replicas = (): unknown =>
  (world.simulator.objects.find(target)?.['spec'] as { readonly replicas?: number } | undefined)?.replicas;

interface Sample {
  readonly metadata: object;
  readonly timestamp: string;
  readonly window: string;
  readonly containers: readonly { readonly name: string; readonly usage: object }[];
}

/** Samples of the pods that there are, of which each uses what its target says: nothing wants to change. */
function samples(usage: string): readonly Sample[] {
  return world.simulator.objects
    .list({ apiVersion: 'v1', kind: 'Pod', namespace: 'shop' })
    .map(({ metadata }) => ({
      metadata: { name: metadata.name, namespace: 'shop', labels: { app: 'checkout' } },
      timestamp: new Date().toISOString(),
      window: '15s',
      containers: [{ name: 'app', usage: { cpu: usage, memory: '1Mi' } }],
    }));
}

const listOf = (items: readonly object[]): string =>
  JSON.stringify({ kind: 'PodMetricsList', apiVersion: 'metrics.k8s.io/v1beta1', metadata: {}, items });

const inAnHour = (): string => new Date(Date.now() + 3_600_000).toISOString();

describe('bad input', () => {
  beforeEach(() => world.proxy.release());

  it.each([
    {
      name: 'usages that are no number',
      body: () => listOf(samples('NaN')),
      want: /FailedGetResourceMetric .*has a value that is no quantity.*4 replicas stay/,
    },
    {
      name: 'negative usages',
      body: () => listOf(samples('-400m')),
      want: /FailedGetResourceMetric .*is negative: -400m.*4 replicas stay/,
    },
    {
      name: 'usages that no machine has',
      body: () => listOf(samples('9'.repeat(40))),
      want: /FailedGetResourceMetric .*no quantity within int64.*4 replicas stay/,
    },
    {
      name: 'samples of an hour from now',
      body: () => listOf(samples('1m').map((sample) => ({ ...sample, timestamp: inAnHour() }))),
      want: /FailedGetResourceMetric .*did not receive metrics for targeted pods.*4 samples are not believed: that of pod \S+ of \S+ lies more than 60 s in the future.*4 replicas stay/,
    },
    {
      name: 'samples of pods of another namespace',
      body: () =>
        listOf(
          samples('1m').map((sample) => ({ ...sample, metadata: { ...sample.metadata, namespace: 'bank' } })),
        ),
      want: /FailedGetResourceMetric .*no metrics returned from resource metrics API.*4 replicas stay/,
    },
    {
      name: 'samples of pods that nobody knows',
      body: () =>
        listOf(
          samples('1m').map((sample, at) => ({
            ...sample,
            metadata: { ...sample.metadata, name: `x-${at}` },
          })),
        ),
      want: /FailedGetResourceMetric .*no metrics returned matched known pods.*4 replicas stay/,
    },
    {
      name: 'every sample three times',
      body: () => listOf([...samples('300m'), ...samples('300m'), ...samples('300m')]),
      want: /Done Unchanged .*cpu 60 % of request, target 60 %/,
    },
    {
      name: 'no samples',
      body: () => listOf([]),
      want: /FailedGetResourceMetric .*no metrics returned from resource metrics API.*4 replicas stay/,
    },
    {
      name: 'a page of a proxy',
      body: () => '<html>Sign in</html>',
      want: /FailedGetResourceMetric .*the answer is no JSON.*4 replicas stay/,
    },
    {
      name: 'no metrics API',
      status: 404,
      body: () => '404 page not found',
      want: /FailedGetResourceMetric .*does not serve metrics\.k8s\.io\/v1beta1: is what provides it installed\?.*stay/,
    },
    {
      name: 'a metrics API that is not available',
      status: 503,
      body: () => 'service unavailable',
      want: /FailedGetResourceMetric .*503 service unavailable.*4 replicas stay/,
    },
  ])('leaves the count as it is, and says why: $name', async ({ body, want, ...answer }) => {
    world.proxy.answerWith(({ path }) =>
      path.startsWith(usagePath) ? { status: 200, ...answer, body: body() } : undefined,
    );
    await untilSaid(want);
    expect(replicas()).toBe(4);
  });

  it('of an HPA that is edited again and again ends in corrections that wait, and names who edits it', async () => {
    const rendered = policyText.replace(
      '  interval: 1s\n',
      '  interval: 1s\n  actuation: HorizontalPodAutoscaler\n',
    );
    world.repository.commit('Natively', { 'shop/checkout.yaml': rendered });
    await soon('the HPA', () => world.simulator.objects.find(hpa));
    let edited = 20;
    const edits = setInterval(() => {
      edited += 1;
      const spec = world.simulator.objects.find(hpa)?.['spec'];
      world.simulator.objects.update(
        hpa,
        (live) => ({ ...live, spec: { ...(spec as object), maxReplicas: edited } }),
        'kubectl-edit',
      );
    }, 500);
    try {
      await untilSaid(/Stalled Contested .*kubectl-edit/);
      const corrections = (): number =>
        world.proxy.writes.filter((write) => /PUT .*horizontalpodautoscalers/.test(write)).length;
      const before = corrections();
      await untilSaid(/Stalled Contested .*kubectl-edit/);
      expect(corrections()).toBe(before);
      expect(replicas()).toBe(4);
    } finally {
      clearInterval(edits);
    }
  });
});
