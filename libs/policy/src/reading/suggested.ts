import type { Finding } from './place.ts';

/** What a finding says where another word was most likely meant; where none was, what else helps. */
export function suggested(meant: string | undefined, otherwise?: string): Pick<Finding, 'hint' | 'meant'> {
  if (meant !== undefined) return { hint: `did you mean ${meant}?`, meant };
  return otherwise === undefined ? {} : { hint: otherwise };
}
