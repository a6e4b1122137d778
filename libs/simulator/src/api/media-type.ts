import { StatusError } from './status-error.ts';

/** How an answer is shown: whole objects, or their metadata only. */
export type Representation = 'Object' | 'Metadata';

const jsonRanges = ['application/json', 'application/*', '*/*'];
const asParameter: Readonly<Record<string, Representation>> = {
  '': 'Object',
  'as=partialobjectmetadata': 'Metadata',
  'as=partialobjectmetadatalist': 'Metadata',
};

/** The first form that an `Accept` header names and this server has; tables and protobuf it has not. */
export function chooseRepresentation(accept: string): Representation {
  if (accept.trim() === '') return 'Object';
  for (const range of accept.toLowerCase().split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim());
    const as = parameters.find((parameter) => parameter.startsWith('as=')) ?? '';
    const representation = asParameter[as];
    if (jsonRanges.includes(type) && representation !== undefined) return representation;
  }
  throw notAcceptable();
}

/** The media type of a header without its parameters, in lower case. */
export function mediaType(header: string): string {
  return (header.split(';')[0] ?? '').trim().toLowerCase();
}

/** 415: a body in a form that the server does not read. */
export function unsupportedMediaType(accepted: readonly string[]): StatusError {
  const message = `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`;
  return new StatusError(415, { message, reason: 'UnsupportedMediaType' });
}

function notAcceptable(): StatusError {
  const message =
    '406: Not Acceptable\n\nAvailable representations: application/json, application/json;stream=watch';
  return new StatusError(406, { message, reason: 'NotAcceptable', details: {} });
}
