import type { Kubectl } from './kubectl.ts';

/** What each of some KWOK pods uses from now on; a figure left out stays as it is. */
export interface PodUsage {
  readonly namespace: string;
  /** Which running pods: `app=checkout`. Pods that come later have what their template is annotated with. */
  readonly labelSelector: string;
  /** A quantity per container: `90m`. */
  readonly cpu?: string;
  /** A quantity per container: `50Mi`. */
  readonly memory?: string;
}

/** The annotations that KWOK reads a pod's usage from; a pod without them uses 1m and 1Mi. */
export const usageAnnotations = {
  cpu: 'kwok.x-k8s.io/usage-cpu',
  memory: 'kwok.x-k8s.io/usage-memory',
} as const;

/** Annotates the pods; metrics-server sees it after its next scrapes, within about 30 s. */
export async function setPodUsage(
  kubectl: Kubectl,
  { namespace, labelSelector, cpu, memory }: PodUsage,
): Promise<void> {
  const annotations = Object.entries({
    [usageAnnotations.cpu]: cpu,
    [usageAnnotations.memory]: memory,
  }).flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]));
  await kubectl([
    'annotate',
    'pods',
    '--namespace',
    namespace,
    '--selector',
    labelSelector,
    '--overwrite',
    ...annotations,
  ]);
}
