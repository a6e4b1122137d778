import { redactCredentials } from '#kernel';
import { maximumComplaintCharacters } from './git-limits.ts';

const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]+/g;

/**
 * What may be shown of text that git, or through it a remote, wrote: no credentials, no control characters, its
 * last lines only.
 */
export function redact(text: string): string {
  const shown = redactCredentials(text).replace(controls, ' ').trim();
  return shown.length <= maximumComplaintCharacters ? shown : `…${shown.slice(-maximumComplaintCharacters)}`;
}
