import type { JsonObject } from '#kernel';
import { randomSuffix } from '../api/object-writer.ts';
import { type KubeObject, numberAt, textAt, toKubeTime, valueAt } from '../objects/kube-object.ts';
import { isActive, isReady } from '../objects/pod-status.ts';
import { type Cluster, controlledBy, type Controller, putStatus, withoutZeros } from './cluster.ts';
import { createPod } from './pod-template.ts';
import { deletePods } from './replica-set-controller.ts';

/** Runs as many pods at a time as the Job allows, until enough of them have succeeded. */
export const jobController: Controller = {
  resource: 'batch/jobs',
  reconcile: (job, cluster) => {
    if (job.metadata.deletionTimestamp !== undefined) return;
    const pods = controlledBy(job, '/pods', cluster);
    const active = pods.filter(isActive);
    const succeeded = pods.filter((pod) => textAt(pod, 'status', 'phase') === 'Succeeded').length;
    const wanted = wantedPods(job, succeeded);
    const generateName = `${job.metadata.name}-`;
    for (let count = active.length; count < wanted; count += 1)
      createPod(job, cluster, { name: `${generateName}${randomSuffix()}`, generateName });

    deletePods(active.slice(wanted), cluster);
    putStatus(job, cluster, status(job, cluster, succeeded));
  },
};

function wantedPods(job: KubeObject, succeeded: number): number {
  if (valueAt(job, 'spec', 'suspend') === true) return 0;
  const left = (numberAt(job, 'spec', 'completions') ?? Number.POSITIVE_INFINITY) - succeeded;
  return Math.max(0, Math.min(numberAt(job, 'spec', 'parallelism') ?? 1, left));
}

function status(job: KubeObject, cluster: Cluster, succeeded: number): JsonObject {
  const now = toKubeTime(cluster.clock.now());
  const active = controlledBy(job, '/pods', cluster).filter(isActive);
  const isComplete = succeeded >= (numberAt(job, 'spec', 'completions') ?? Number.POSITIVE_INFINITY);
  const completed = textAt(job, 'status', 'completionTime') ?? now;
  const counts = { active: active.length, succeeded, ready: active.filter(isReady).length };
  return {
    startTime: textAt(job, 'status', 'startTime') ?? now,
    ...withoutZeros(counts),
    ...(isComplete
      ? {
          completionTime: completed,
          conditions: [{ type: 'Complete', status: 'True', lastTransitionTime: completed }],
        }
      : {}),
  };
}
