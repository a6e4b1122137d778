import { readFileSync } from 'node:fs';
import { afterAll, beforeAll } from '@jest/globals';
import { type ControlPlane, startControlPlane } from '../../control-plane/control-plane.ts';
import { connectWith } from './api-connection.ts';
import { describeKubernetesApi } from './describe-kubernetes-api.ts';

/** Four seconds, on a machine that has nothing else to do. */
const startMilliseconds = 60_000;

let cluster: ControlPlane;

beforeAll(async () => {
  cluster = await startControlPlane();
}, startMilliseconds);

afterAll(() => cluster.stop());

describeKubernetesApi('a real kube-apiserver', () =>
  connectWith(readFileSync(cluster.kubeconfigPath, 'utf8')),
);
