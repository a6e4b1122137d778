import type { NativeAutoscaler } from '../ports/native-autoscalers.port.ts';

/**
 * The names that the native controller is known to write under, for the time before it has written a status: a field
 * manager is the program's name, and distributions that put the controllers into one program have their own
 * (`k3s` is K3s, `kubelite` is MicroK8s).
 */
const knownManagers: readonly string[] = ['kube-controller-manager', 'k3s', 'kubelite'];

/**
 * The field managers that scale on behalf of HPAs: whoever writes their status, which nothing but the native controller
 * does, and which it does under the name that it scales under; and those that are known by name.
 */
export function nativeManagersOf(
  autoscalers: readonly Pick<NativeAutoscaler, 'statusManager'>[],
): ReadonlySet<string> {
  const managers = new Set(knownManagers);
  for (const { statusManager } of autoscalers) if (statusManager !== null) managers.add(statusManager);
  return managers;
}
