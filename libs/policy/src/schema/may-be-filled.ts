import { isMap } from '../reading/is-map.ts';
import { ownToPolicy } from './autoscaling-policy.ts';

/**
 * Whether a PolicyDefaults may have what an AutoscalingPolicy leaves out at a path. It has nothing of what is a policy's
 * own, and adds nothing to a list that the policy has.
 */
export function mayBeFilled(document: unknown, path: readonly (string | number)[]): boolean {
  const [first, second] = path;
  return first === 'spec' && !ownToPolicy.some((name) => name === second) && !leadsToList(document, path);
}

function leadsToList(value: unknown, [key, ...rest]: readonly (string | number)[]): boolean {
  if (Array.isArray(value)) return true;
  return isMap(value) && key !== undefined && leadsToList(value[key], rest);
}
