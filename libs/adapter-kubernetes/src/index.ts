export {
  type AutoscalerQuery,
  type ListedAutoscalers,
  listLiveAutoscalers,
} from './autoscalers/list-autoscalers.ts';
export type { ConnectionSource } from './connection/kube-connection.ts';
export type { ApiRequest } from './http/api-client.ts';
export type { InformerStatus } from './informer/informer.ts';
export {
  type Kubernetes,
  type KubernetesHealth,
  type KubernetesOptions,
  type KubernetesReader,
  openKubernetes,
  type ResourceName,
} from './kubernetes.ts';
export { systemTiming, type Timing } from './timing.ts';
