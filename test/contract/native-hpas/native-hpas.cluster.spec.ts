import { readFileSync } from 'node:fs';
import { startControlPlane } from '../../control-plane/control-plane.ts';
import { describeNativeHpas } from './describe-native-hpas.ts';

describeNativeHpas('a real control plane', async () => {
  const cluster = await startControlPlane({ components: ['kube-controller-manager'] });
  const kubeconfig = readFileSync(cluster.kubeconfigPath, 'utf8');
  return { kubeconfig, stop: () => cluster.stop() };
});
