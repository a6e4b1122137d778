import { startSimulator } from '#simulator';
import { describeNativeHpas } from './describe-native-hpas.ts';

describeNativeHpas('the simulator', async () => {
  const simulator = await startSimulator();
  return { kubeconfig: simulator.kubeconfigYaml, stop: () => simulator.stop() };
});
