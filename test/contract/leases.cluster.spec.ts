import { openKubernetes } from '#adapter-kubernetes';
import { FakeLog } from '#reconciliation/testing';
import { startControlPlane } from '../control-plane/control-plane.ts';
import { describeLeases } from './leases.suite.ts';

describeLeases('Leases of a real API server', async () => {
  const cluster = await startControlPlane();
  await cluster.kubectl(['create', 'namespace', 'plimsoll-system']);
  const kubernetes = openKubernetes({
    connection: { kind: 'Kubeconfig', path: cluster.kubeconfigPath },
    namespaces: ['shop'],
    isReadOnly: true,
    log: new FakeLog(),
  });
  return {
    leases: kubernetes.leasesOf({
      namespace: 'plimsoll-system',
      prefix: 'plimsoll',
      timeoutMilliseconds: 10_000,
    }),
    stop: async () => {
      await kubernetes.stop();
      await cluster.stop();
    },
  };
});
