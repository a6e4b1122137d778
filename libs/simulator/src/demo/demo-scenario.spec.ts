import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { SimulationClock } from '../clock/simulation-clock.ts';
import { type Simulator, startSimulator } from '../simulator.ts';
import { demoDaySeconds, demoScenario } from './demo-scenario.ts';

/** Used CPU in percent of the requests of the pods that a label selects, and how many pods those are. */
interface Utilization {
  readonly pods: number;
  readonly percent: number;
}

let clock: SimulationClock;
let simulator: Simulator;

beforeEach(async () => {
  clock = SimulationClock.manual(Date.parse('2026-03-01T12:00:00Z'));
  simulator = await startSimulator({ clock });
  demoScenario(simulator);
  simulator.runPending();
  clock.advance(60_000);
  simulator.load.restart();
});

afterEach(() => simulator.stop());

describe('the demo', () => {
  it('brings checkout to 83 % within the first ten seconds, and 6 replicas bring it back', async () => {
    expect(await utilization('shop', 'checkout', 500)).toEqual({ pods: 4, percent: 58 });
    clock.advance(10_000);
    expect(await utilization('shop', 'checkout', 500)).toEqual({ pods: 4, percent: 83 });
    scale('shop', 'checkout', 6);
    expect(await utilization('shop', 'checkout', 500)).toEqual({ pods: 6, percent: 55 });
  });

  it('lets a Job with the labels of a Deployment burn CPU beside both twins', async () => {
    expect(await utilization('shop', 'catalog-labels', 200)).toEqual({ pods: 5, percent: 110 });
    expect(await utilization('shop', 'catalog-owner', 200)).toEqual({ pods: 5, percent: 110 });
  });

  it('turns a night into a minute and a half', async () => {
    expect(await utilization('media', 'transcoder', 1000)).toEqual({ pods: 2, percent: 50 });
    clock.advance((demoDaySeconds / 2) * 1000);
    expect(await utilization('media', 'transcoder', 1000)).toEqual({ pods: 2, percent: 350 });
  });

  it('keeps the queue of invoices between its watermarks', async () => {
    for (let second = 0; second < 60; second += 5) {
      clock.advance(5000);
      const { items } = await get(
        '/apis/external.metrics.k8s.io/v1beta1/namespaces/billing/queue_messages_ready',
      );
      const messages = milli(items?.[0]?.value) / 1000 / 4;
      expect(messages).toBeGreaterThan(20);
      expect(messages).toBeLessThan(60);
    }
  });

  it('cannot say how many reports are pending', async () => {
    const answer = await get('/apis/external.metrics.k8s.io/v1beta1/namespaces/billing/reports_pending');
    expect(answer).toMatchObject({
      kind: 'Status',
      code: 503,
      message: expect.stringContaining('reports_pending'),
    });
  });
});

function scale(namespace: string, name: string, replicas: number): void {
  simulator.objects.scale({ apiVersion: 'apps/v1', kind: 'Deployment', namespace, name }, replicas);
  simulator.runPending();
  clock.advance(5000);
}

async function utilization(namespace: string, app: string, requestMillicores: number): Promise<Utilization> {
  const query = new URLSearchParams({ labelSelector: `app.kubernetes.io/name=${app}` });
  const { items = [] } = await get(
    `/apis/metrics.k8s.io/v1beta1/namespaces/${namespace}/pods?${query.toString()}`,
  );
  const used = items.reduce((sum, item) => sum + milli(item.containers?.[0]?.usage.cpu), 0);
  return { pods: items.length, percent: Math.round((used / (items.length * requestMillicores)) * 100) };
}

function milli(quantity: string | undefined): number {
  if (quantity?.endsWith('n') === true) return Number.parseInt(quantity, 10) / 1_000_000;
  return quantity?.endsWith('m') === true ? Number.parseInt(quantity, 10) : Number(quantity) * 1000;
}

interface MetricsAnswer {
  readonly items?: readonly {
    readonly value?: string;
    readonly containers?: readonly { readonly usage: { readonly cpu: string } }[];
  }[];
}

async function get(path: string): Promise<MetricsAnswer> {
  const headers = { authorization: `Bearer ${simulator.token}` };
  const response = await fetch(`${simulator.url}${path}`, { headers });
  return (await response.json()) as MetricsAnswer;
}
