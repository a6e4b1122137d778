import { hasPlaceholder } from '#policy';

/** Whether a name identifies something: a missing one, or one with a placeholder, does not. */
export function isKnown(name: string): boolean {
  return name !== '' && !hasPlaceholder(name);
}
