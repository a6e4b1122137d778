export type { Fault, FaultMatch, FaultRule } from './api/fault.ts';
export { FaultRegistry } from './api/fault-registry.ts';
export type { PodTimings } from './controllers/cluster.ts';
export { demoDaySeconds, demoScenario } from './demo/demo-scenario.ts';
export { startDemo } from './demo/start-demo.ts';
export type { Kubeconfig } from './kubeconfig.ts';
export {
  type ContainerLoad,
  type CustomMetric,
  type ExternalMetric,
  LoadRegistry,
  type WorkloadLoad,
  type WorkloadName,
} from './load/load-registry.ts';
export type { Series } from './load/series.ts';
export { ObjectClient, type ObjectName } from './object-client.ts';
export type { KubeObject, NewObject, ObjectMeta } from './objects/kube-object.ts';
export { SimulationClock } from './simulation-clock.ts';
export { type Simulator, type SimulatorOptions, startSimulator } from './simulator.ts';
