import { UnusableError } from '../unusable-error.ts';

/**
 * The count of replicas that an option names, 0 to 999,999,999; undefined: it is left out.
 *
 * @throws UnusableError where it is no such count
 */
export function replicaCountOf(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new UnusableError(`${option} is ${JSON.stringify(text)}, which is no count of replicas`);
}
