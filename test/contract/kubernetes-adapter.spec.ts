import { openKubernetes } from '#adapter-kubernetes';
import {
  FakeLog,
  FakeNativeAutoscalers,
  FakeOwners,
  FakePods,
  FakeReplicaChanges,
  FakeScales,
} from '#reconciliation/testing';
import { startSimulator } from '#simulator';
import { autoscalerManifest, deploymentManifest, podManifest } from './kubernetes-adapter.manifests.ts';
import { describeKubernetesPorts, targetOf, type World } from './kubernetes-adapter.suite.ts';

describeKubernetesPorts('the fakes', () => Promise.resolve(fakeWorld()));
describeKubernetesPorts('the adapter on the simulator', simulatedWorld);

function fakeWorld(): World {
  const pods = new FakePods();
  const owners = new FakeOwners();
  const scales = new FakeScales();
  const replicaChanges = new FakeReplicaChanges();
  const autoscalers = new FakeNativeAutoscalers();
  let version = 0;
  return {
    pods,
    owners,
    scales,
    replicaChanges,
    autoscalers,
    createWorkload: (name, replicas) => {
      scales.set(targetOf(name), replicas);
      return Promise.resolve(targetOf(name));
    },
    createPod: (name, app) => {
      const owner = { apiVersion: 'apps/v1', kind: 'Deployment', name: app, uid: `uid-of-${app}` };
      const pod = { name, labels: { app }, ownerReferences: [owner] };
      pods.set({ namespace: 'shop', selector: `app=${app}` }, [pod]);
      owners.reading = [owner];
      return Promise.resolve();
    },
    createAutoscaler: (name, target) => {
      autoscalers.putAs('helm', autoscalerManifest(name, target));
      return Promise.resolve();
    },
    scaleAs: (manager, target, to) => {
      const from = scales.replicasOf(target) ?? 0;
      scales.set(target, to);
      const time = '2026-11-20T12:00:00.000Z';
      const fromVersion = String(version);
      version += 1;
      const uid = `uid-of-${target.name}`;
      const resourceVersion = String(version);
      replicaChanges.report({ target, uid, from, fromVersion, to, manager, time, resourceVersion });
      return Promise.resolve();
    },
    stop: () => Promise.resolve(),
  };
}

async function simulatedWorld(): Promise<World> {
  const simulator = await startSimulator({ controllers: 'ApiOnly' });
  simulator.objects.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
  const kubernetes = openKubernetes({
    connection: { kind: 'Explicit', kubeconfig: simulator.kubeconfigYaml },
    namespaces: ['shop'],
    log: new FakeLog(),
  });
  kubernetes.start();
  await kubernetes.whenSynced(20_000);
  return {
    ...kubernetes,
    createWorkload: (name, replicas) => {
      simulator.objects.create(deploymentManifest(name, replicas));
      return Promise.resolve(targetOf(name));
    },
    createPod: (name, app) => {
      const uid = simulator.objects.find(targetOf(app))?.metadata.uid ?? '';
      simulator.objects.create(podManifest(name, { name: app, uid }));
      return Promise.resolve();
    },
    createAutoscaler: (name, target) => {
      simulator.objects.create(autoscalerManifest(name, target));
      return Promise.resolve();
    },
    scaleAs: (manager, target, replicas) => {
      simulator.objects.scale(target, replicas, manager);
      return Promise.resolve();
    },
    stop: async () => {
      await kubernetes.stop();
      await simulator.stop();
    },
  };
}
