export { SimulationClock } from './clock/simulation-clock.ts';
export { type PodTimings } from './controllers/cluster.ts';
export {
  neverReadyAnnotation as NEVER_READY_ANNOTATION,
  runSecondsAnnotation as RUN_SECONDS_ANNOTATION,
} from './controllers/kubelet.ts';
export { demoDaySeconds as DEMO_DAY_SECONDS, demoScenario } from './demo/demo-scenario.ts';
export { startDemo } from './demo/start-demo.ts';
export { type Fault, type FaultMatch, type FaultRule } from './faults/fault.ts';
export { FaultBoard } from './faults/fault-board.ts';
export { type Kubeconfig } from './kubeconfig.ts';
export {
  type ContainerLoad,
  type CustomMetric,
  type ExternalMetric,
  LoadBoard,
  type WorkloadLoad,
  type WorkloadName,
} from './load/load-board.ts';
export { type Series } from './load/series.ts';
export { ObjectClient, type ObjectName } from './object-client.ts';
export { type KubeObject, type NewObject, type ObjectMeta } from './objects/kube-object.ts';
export { type Simulator, type SimulatorOptions, startSimulator } from './simulator.ts';
