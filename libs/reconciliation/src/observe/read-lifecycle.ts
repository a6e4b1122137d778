import type { ObservedLifecycle } from '#decision';
import { callKubernetes } from '../pass/call-kubernetes.ts';
import type { Pass } from '../pass/pass.ts';
import { lifecycleState } from './lifecycle-state.ts';

/** `observation.lifecycle`, from the object that the policy names in its own namespace; null: it names none. */
export async function readLifecycle(pass: Pass): Promise<ObservedLifecycle | null> {
  const { ports, runtime } = pass;
  const { namespace, lifecycle: block } = runtime.active.policy;
  if (block === undefined) return null;
  const { apiVersion, kind, name } = block;
  const reference = { namespace, apiVersion, kind, name };
  const reading = await callKubernetes(pass, `GET of ${kind} ${name}`, (signal) =>
    ports.objects.readObject(reference, signal),
  );
  return lifecycleState(block, reading);
}
