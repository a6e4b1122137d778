import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import {
  badExternalValues,
  badPrometheusValues,
  badRecommendations,
  goodExternalValues,
  goodPrometheusValues,
  goodRecommendation,
  type ValueAnswer,
} from './support/bad-values.ts';
import type { ControllerProcess } from './support/controller-process.ts';
import { policyText, type ShopWorld, startShopWorld } from './support/shop-world.ts';
import { untilSaid } from './support/until-said.ts';

jest.setTimeout(180_000);

const externalPath = '/apis/external.metrics.k8s.io/v1beta1/namespaces/shop/orders';

let world: ShopWorld;
let controller: ControllerProcess;
/** What asks for one value, outside the cluster: a Prometheus server and a recommender at one address. */
let server: Server;
/** What it answers; `undefined`: nothing, ever. */
let answer: () => ValueAnswer | undefined;

beforeAll(async () => {
  world = await startShopWorld();
  server = createServer((request, response) => {
    request.resume();
    const made = answer();
    if (made !== undefined) response.writeHead(made.status).end(made.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  controller = await world.startController({
    prometheusServers: [{ name: 'main', url: `http://${host()}`, timeoutSeconds: 2 }],
    recommenderHosts: [host()],
    settings: {
      cpuInitializationPeriodSeconds: 0,
      initialReadinessDelaySeconds: 0,
      maximumSampleAgeSeconds: 300,
    },
  });
});
afterAll(async () => {
  await world.stop();
  server.closeAllConnections();
  server.close();
});

function host(): string {
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The shop's policy with what it measures instead of CPU. */
function commitPolicy(measured: string): void {
  const [head = ''] = policyText.split('  metrics:\n');
  world.repository.commit('Measure something else', { 'shop/checkout.yaml': `${head}${measured}` });
}

describe('external.metrics.k8s.io', () => {
  const answerWith = (values: () => ValueAnswer | undefined): void =>
    world.proxy.answerWith(({ path }) => (path.startsWith(externalPath) ? values() : undefined));

  beforeAll(async () => {
    answerWith(goodExternalValues);
    commitPolicy(`  metrics:
    - {type: External, external: {metric: {name: orders}, target: {type: AverageValue, averageValue: 25}}}
`);
    await untilSaid(controller, /Done Unchanged .*orders/);
  });
  afterAll(() => world.proxy.release());

  it.each(badExternalValues)(
    'that gives $name changes nothing, and is told',
    async ({ answer: bad, want }) => {
      answerWith(bad);
      expect(await untilSaid(controller, want, 1)).toMatch(/FailedGetExternalMetric .*4 replicas stay/);
    },
  );
});

describe('a Prometheus server', () => {
  beforeAll(async () => {
    answer = goodPrometheusValues;
    commitPolicy(`  metrics:
    - type: Prometheus
      prometheus: {server: main, name: orders, query: sum(orders), target: {type: AverageValue, averageValue: 25}}
`);
    await untilSaid(controller, /Done Unchanged .*orders/);
  });

  it.each(badPrometheusValues)(
    'that gives $name changes nothing, and is told',
    async ({ answer: bad, want }) => {
      answer = bad;
      expect(await untilSaid(controller, want, 1)).toMatch(/FailedGetPrometheusMetric .*4 replicas stay/);
    },
  );
});

describe('a recommender', () => {
  beforeAll(async () => {
    answer = goodRecommendation;
    commitPolicy(`  recommender: {url: 'http://${host()}/recommend', targetType: cpu, lowWatermark: 500m, highWatermark: 900m}
`);
    await untilSaid(controller, /Done Unchanged .*recommender/);
  });

  it.each(badRecommendations)(
    'that gives $name changes nothing, and is told',
    async ({ answer: bad, want }) => {
      answer = bad;
      expect(await untilSaid(controller, want, 1)).toMatch(/FailedGetResourceMetric .*4 replicas stay/);
    },
  );
});

it('none of these has scaled anything', () => {
  expect(world.proxy.writes.filter((write) => write.includes('/scale'))).toEqual([]);
});
