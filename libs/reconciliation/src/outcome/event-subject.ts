import type { ActivePolicy } from '../active-policy.ts';
import { isOwn } from '../hpa/plan-actuation.ts';
import type { Pass } from '../pass/pass.ts';
import type { EventSubject } from '../ports/kubernetes-events.port.ts';
import type { ScaleState } from '../ports/scale.port.ts';

/** What a strategy's events are about: the policy's own HPA where there is one, else the target. */
export function strategySubjectOf(
  { ports, runtime }: Pick<Pass, 'ports' | 'runtime'>,
  scale: ScaleState | null,
): EventSubject {
  const { namespace, name } = runtime.active.policy;
  const listing = ports.nativeAutoscalers.listAutoscalers(namespace);
  const hpas = listing.state === 'Synced' ? listing.autoscalers : [];
  const own = hpas.find((hpa) => isOwn(runtime.active.policy, hpa));
  if (own === undefined) return subjectOf(runtime.active, scale);
  const { uid } = own;
  return { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', namespace, name, uid };
}

/** The target of a policy as the subject of an event; without uid where its scale was not read. */
export function subjectOf({ policy }: ActivePolicy, scale: ScaleState | null): EventSubject {
  const { apiVersion, kind, name } = policy.target;
  const subject = { apiVersion, kind, namespace: policy.namespace, name };
  return scale === null ? subject : { ...subject, uid: scale.uid };
}
