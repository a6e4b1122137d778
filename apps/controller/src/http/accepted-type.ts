import type { IncomingMessage } from 'node:http';
import Negotiator from 'negotiator';
import { ProblemError } from './problem-error.ts';

/**
 * Which of the offered media types the caller likes best; the first where all are alike to it, as where it does not say. A
 * problem is answered as `application/problem+json` whatever the caller accepts.
 *
 * @throws ProblemError `NotAcceptable` where it accepts none
 */
export function acceptedType(offered: readonly string[], request: IncomingMessage): string {
  const accepted = new Negotiator(request).mediaType([...offered]);
  if (accepted !== undefined) return accepted;
  throw new ProblemError({
    status: 406,
    code: 'NotAcceptable',
    detail: `this operation answers with ${offered.join(' or ')}`,
  });
}
