import { isOwn } from '../hpa/plan-actuation.ts';
import type { Pass } from '../pass/pass.ts';
import type { ActivePolicy } from '../policies/active-policy.ts';
import type { EventSubject } from '../ports/kubernetes-events.port.ts';
import type { NativeAutoscaler } from '../ports/native-autoscalers.port.ts';
import type { ScaleState } from '../ports/scale.port.ts';

/** What a policy's events are about: its own HPA where there is one, else the target. */
export function subjectOf(pass: Pick<Pass, 'ports' | 'runtime'>, scale: ScaleState | null): EventSubject {
  const { active } = pass.runtime;
  const own = ownHpaOf(pass);
  if (own === null) return targetSubjectOf(active, scale);
  const { namespace, name } = active.policy;
  return { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', namespace, name, uid: own.uid };
}

/** The policy's own HPA as the cache has it; null: there is none. */
export function ownHpaOf({ ports, runtime }: Pick<Pass, 'ports' | 'runtime'>): NativeAutoscaler | null {
  const { policy } = runtime.active;
  const listing = ports.nativeAutoscalers.listAutoscalers(policy.namespace);
  const hpas = listing.state === 'Synced' ? listing.autoscalers : [];
  return hpas.find((hpa) => isOwn(policy, hpa)) ?? null;
}

/** The target of a policy as the subject of an event; without uid where its scale was not read. */
export function targetSubjectOf({ policy }: ActivePolicy, scale: ScaleState | null): EventSubject {
  const { apiVersion, kind, name } = policy.target;
  const subject = { apiVersion, kind, namespace: policy.namespace, name };
  return scale === null ? subject : { ...subject, uid: scale.uid };
}
