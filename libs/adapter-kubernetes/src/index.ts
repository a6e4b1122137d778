export {
  type AccessNeeds,
  type AccessRule,
  accessRules,
  clusterUidRules,
  leaseRules,
  reviewRules,
} from './access-rules.ts';
export type { ApiRequest } from './api/api-client.ts';
export type { ConnectionSource } from './api/load-kubeconfig.ts';
export {
  type AutoscalerQuery,
  type ListedAutoscalers,
  listLiveAutoscalers,
} from './autoscalers/list-live-autoscalers.ts';
export type { InformerStatus } from './informer/informer.ts';
export {
  type Kubernetes,
  type KubernetesHealth,
  type KubernetesOptions,
  type KubernetesReader,
  openKubernetes,
  type ResourceName,
} from './kubernetes.ts';
export type { LeasePlace } from './lease-client.ts';
export { KubernetesReviews, type ReviewedAccess, type ReviewedUser } from './reviews.ts';
export { type Timing } from './time/timing.ts';
