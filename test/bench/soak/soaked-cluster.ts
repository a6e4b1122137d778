import { SimulationClock, startSimulator } from '#simulator';

/** What the soak does to the cluster; each is answered by a {@link SoakedClusterAnswer}. */
export type SoakedClusterRequest =
  | { readonly kind: 'Advance'; readonly milliseconds: number }
  | { readonly kind: 'Create'; readonly name: string }
  | { readonly kind: 'Delete'; readonly name: string }
  /** Forgets the cluster's history, as its database does every few minutes: every watch begins anew. */
  | { readonly kind: 'Compact' };

/** Where the cluster is, and its time. */
export interface SoakedClusterAnswer {
  readonly kubeconfig: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

const begun = Date.parse('2026-01-01T00:00:00Z');
const namespace = 'shop';
const deploymentKind = { apiVersion: 'apps/v1', kind: 'Deployment' };

const clock = SimulationClock.manual(begun);
const simulator = await startSimulator({ clock, metricsResolutionSeconds: 15 });
simulator.objects.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
const day = { periodSeconds: 86_400, peakSeconds: 43_200 };
simulator.load.setExternal({
  namespace,
  metric: 'queue',
  series: { kind: 'Wave', low: 20, high: 100, ...day },
});
process.on('message', (request: SoakedClusterRequest) => {
  carryOut(request);
  answer();
});
// The bench has ended, however it did.
process.once('disconnect', () => process.exit());
answer();

function carryOut(request: SoakedClusterRequest): void {
  if (request.kind === 'Advance') clock.advance(request.milliseconds);
  if (request.kind === 'Create') simulator.objects.create(deploymentOf(request.name));
  if (request.kind === 'Delete')
    simulator.objects.delete({ ...deploymentKind, namespace, name: request.name });
  if (request.kind !== 'Compact') return;
  simulator.compact();
  simulator.faults.dropWatches();
}

function answer(): void {
  const said: SoakedClusterAnswer = { kubeconfig: simulator.kubeconfigYaml, now: clock.now() };
  process.send?.(said);
}

function deploymentOf(name: string): Parameters<typeof simulator.objects.create>[0] {
  const labels = { app: name };
  const container = { name: 'app', image: 'app', resources: { requests: { cpu: '100m' } } };
  return {
    ...deploymentKind,
    metadata: { namespace, name },
    spec: {
      replicas: 2,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [container] } },
    },
  };
}
