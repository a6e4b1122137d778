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
  const { accept } = request.headers;
  // Everything that is offered is UTF-8; a type with another parameter is another type.
  const headers = accept === undefined ? {} : { accept: accept.replaceAll(utf8Parameter, '') };
  const accepted = new Negotiator({ headers }).mediaType([...offered]);
  if (accepted !== undefined) return accepted;
  throw new ProblemError({
    status: 406,
    code: 'NotAcceptable',
    detail: `this operation answers with ${offered.join(' or ')}`,
  });
}

const utf8Parameter = /;[ \t]*charset=(?:utf-8|"utf-8")(?=[ \t]*(?:[;,]|$))/gi;
