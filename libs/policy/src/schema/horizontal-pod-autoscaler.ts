import { behaviorSchemas } from './behavior.ts';
import { metricsSchema } from './metrics.ts';
import { map, maxReplicas, minReplicas, nullable, scaleTargetRef } from './parts.ts';

/** The `spec` of an `autoscaling/v2` HorizontalPodAutoscaler. */
export const horizontalPodAutoscalerSpec = map(
  {
    scaleTargetRef,
    minReplicas: nullable(minReplicas),
    maxReplicas,
    metrics: metricsSchema('autoscaling/v2'),
    behavior: behaviorSchemas['autoscaling/v2'],
  },
  { required: ['scaleTargetRef', 'maxReplicas'] },
);
