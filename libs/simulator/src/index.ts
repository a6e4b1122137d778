export type { Fault, FaultMatch, FaultRule } from './api/fault.ts';
export type { FaultRegistry } from './api/fault-registry.ts';
export { SimulationClock } from './clock/simulation-clock.ts';
export type { PodTimings } from './controllers/cluster.ts';
export { startDemo } from './demo/start-demo.ts';
export type { Kubeconfig } from './kubeconfig.ts';
export type {
  ContainerLoad,
  CustomMetric,
  ExternalMetric,
  LoadRegistry,
  WorkloadLoad,
  WorkloadName,
} from './load/load-registry.ts';
export type { Series } from './load/series.ts';
export type { ObjectClient, ObjectName } from './object-client.ts';
export type { KubeObject, NewObject, ObjectMeta } from './objects/kube-object.ts';
export { type Simulator, type SimulatorOptions, startSimulator } from './simulator.ts';
