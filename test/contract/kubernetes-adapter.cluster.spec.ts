import { openKubernetes } from '#adapter-kubernetes';
import { FakeLog } from '#reconciliation/testing';
import { startControlPlane } from '../control-plane/control-plane.ts';
import { autoscalerManifest, deploymentManifest, podManifest } from './kubernetes-adapter.manifests.ts';
import { describeKubernetesPorts, targetOf, type World } from './kubernetes-adapter.suite.ts';

describeKubernetesPorts('the adapter on a real API server', realWorld);

async function realWorld(): Promise<World> {
  const cluster = await startControlPlane();
  await cluster.kubectl(['create', 'namespace', 'shop']);
  await cluster.kubectl(['create', 'serviceaccount', 'default', '-n', 'shop']);
  const kubernetes = openKubernetes({
    connection: { kind: 'Kubeconfig', path: cluster.kubeconfigPath },
    namespaces: ['shop'],
    log: new FakeLog(),
  });
  kubernetes.start();
  await kubernetes.whenSynced(20_000);
  const apply = async (manifest: object): Promise<void> => {
    await cluster.kubectl(['apply', '-f', '-'], JSON.stringify(manifest));
  };
  return {
    ...kubernetes,
    createWorkload: async (name, replicas) => {
      await apply(deploymentManifest(name, replicas));
      return targetOf(name);
    },
    createPod: async (name, app) => {
      const uid = await cluster.kubectl([
        'get',
        'deployment',
        app,
        '-n',
        'shop',
        '-o',
        'jsonpath={.metadata.uid}',
      ]);
      await apply(podManifest(name, { name: app, uid }));
    },
    createAutoscaler: (name, target) => apply(autoscalerManifest(name, target)),
    scaleAs: async (manager, target, replicas) => {
      const path = `/apis/apps/v1/namespaces/shop/deployments/${target.name}/scale`;
      const scale = await cluster.api({ path });
      const body = { ...(scale.body as object), spec: { replicas } };
      const answer = await cluster.api({ method: 'PUT', path: `${path}?fieldManager=${manager}`, body });
      if (answer.status >= 300) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
    },
    stop: async () => {
      await kubernetes.stop();
      await cluster.stop();
    },
  };
}
