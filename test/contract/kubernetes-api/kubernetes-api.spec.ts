import { afterAll } from '@jest/globals';
import { type Simulator, startSimulator } from '#simulator';
import { connectWith } from './api-connection.ts';
import { describeKubernetesApi } from './describe-kubernetes-api.ts';

let simulator: Simulator | undefined;

afterAll(() => simulator?.stop());

describeKubernetesApi('the simulator', async () => {
  simulator = await startSimulator({ controllers: 'ApiOnly' });
  return connectWith(simulator.kubeconfigYaml);
});
