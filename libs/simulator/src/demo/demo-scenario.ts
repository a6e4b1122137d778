import type { Series } from '../load/series.ts';
import type { Simulator } from '../simulator.ts';
import { demoDeployment, demoJob } from './demo-workload.ts';

/** A day of the demo in seconds: short enough to watch a nightly wave. */
export const demoDaySeconds = 180;

/** The first spike comes when the controller has looked at the quiet shop once, and within the first 20 seconds. */
const spikeFromSeconds = 8;
const spikeUntilSeconds = 75;

/**
 * The demo's cluster, one workload for each thing that the policies of the example repository show. Loads are in
 * millicores for the whole Deployment, so that more replicas mean less for each.
 */
export function demoScenario(simulator: Simulator): void {
  for (const name of ['shop', 'billing', 'media'])
    simulator.objects.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });

  createCheckout(simulator);
  createCatalog(simulator, 'catalog-labels');
  createCatalog(simulator, 'catalog-owner');
  createGateway(simulator);
  createBilling(simulator);
  createTranscoder(simulator);
}

/** 4 × 500m: quiet at 58 %, then at 83 %, which 6 replicas bring to 55 % and within the tolerance of 60 %. */
function createCheckout(simulator: Simulator): void {
  createService(
    simulator,
    { namespace: 'shop', name: 'checkout', replicas: 4, cpu: '500m' },
    spikes(1160, 1660),
  );
}

/** Twins at half of their requests, each with a Job beside it that has the same labels and burns four times as much. */
function createCatalog(simulator: Simulator, name: string): void {
  const namespace = 'shop';
  createService(simulator, { namespace, name, replicas: 3, cpu: '200m' }, { kind: 'Constant', value: 300 });
  const job = `${name}-reindex`;
  const containers = [{ name: 'reindex', cpu: '200m' }];
  simulator.objects.create(demoJob({ namespace, name: job, replicas: 2, containers, deployment: name }));
  simulator.load.setWorkload(
    { namespace, kind: 'Job', name: job },
    { reindex: { cpu: { kind: 'Constant', value: 400 }, share: 'EachPod' } },
  );
}

/** The gateway is near its target; beside it runs a proxy at nearly twice its request, whatever the traffic. */
function createGateway(simulator: Simulator): void {
  const namespace = 'shop';
  const name = 'gateway';
  const containers = [
    { name: 'gateway', cpu: '250m' },
    { name: 'mesh-proxy', cpu: '100m' },
  ];
  simulator.objects.create(demoDeployment({ namespace, name, replicas: 3, containers }));
  simulator.load.setWorkload(
    { namespace, kind: 'Deployment', name },
    {
      gateway: { cpu: { kind: 'Constant', value: 510 }, share: 'Total' },
      'mesh-proxy': { cpu: { kind: 'Constant', value: 180 }, share: 'EachPod' },
    },
  );
}

/** A queue that stays between its watermarks, 30 to 50 messages per replica, and one without a value. */
function createBilling(simulator: Simulator): void {
  const namespace = 'billing';
  const quiet: Series = { kind: 'Constant', value: 200 };
  createService(simulator, { namespace, name: 'invoices', replicas: 4, cpu: '250m' }, quiet);
  createService(simulator, { namespace, name: 'reports', replicas: 3, cpu: '250m' }, quiet);
  simulator.load.setExternal({
    namespace,
    metric: 'queue_messages_ready',
    labels: { queue: 'invoices' },
    series: { kind: 'Wave', low: 120, high: 200, periodSeconds: 60, peakSeconds: 30 },
  });
  simulator.load.setExternal({
    namespace,
    metric: 'reports_pending',
    series: { kind: 'Failing', code: 503, message: 'the metrics provider of reports_pending is down' },
  });
}

/** From 1 core by day to 7 cores in the middle of the night. */
function createTranscoder(simulator: Simulator): void {
  const night: Series = {
    kind: 'Wave',
    low: 1000,
    high: 7000,
    periodSeconds: demoDaySeconds,
    peakSeconds: demoDaySeconds / 2,
  };
  createService(simulator, { namespace: 'media', name: 'transcoder', replicas: 2, cpu: '1' }, night);
}

interface Service {
  readonly namespace: string;
  readonly name: string;
  readonly replicas: number;
  readonly cpu: string;
}

/** A Deployment with one container, and the load on it. */
function createService(
  simulator: Simulator,
  { namespace, name, replicas, cpu }: Service,
  load: Series,
): void {
  const containers = [{ name: 'application', cpu }];
  simulator.objects.create(demoDeployment({ namespace, name, replicas, containers }));
  simulator.load.setWorkload(
    { namespace, kind: 'Deployment', name },
    { application: { cpu: load, share: 'Total' } },
  );
}

/** A spike in every day of the demo. */
function spikes(base: number, peak: number): Series {
  return {
    kind: 'Computed',
    at: (seconds) => {
      const time = seconds % demoDaySeconds;
      return time >= spikeFromSeconds && time < spikeUntilSeconds ? peak : base;
    },
  };
}
