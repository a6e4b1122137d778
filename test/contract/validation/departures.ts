import type { Problem } from '#policy';
import type { Departures } from './compare-verdicts.ts';
import type { ServerVerdict } from './server-verdict.ts';

const annotationPrefix = 'autoscaling.alpha.kubernetes.io/';

/**
 * What a HorizontalPodAutoscaler is judged differently in: placeholders, nulls in lists, names that the server would
 * generate, selectors that would fail in every pass, quantities without digit, with blanks or with long exponents, a
 * ReplicationController without `v1`, and annotations of v1 that the server drops in silence.
 */
export const hpaDepartures: Departures = {
  isNamed: (error, verdict) => {
    if (error.code === 'NullItem' || isSharedDeparture(error)) return true;
    if (error.path.join('.') === 'spec.scaleTargetRef.apiVersion') return true;
    const [, section, annotation = ''] = error.path.map(String);
    const isInside = section === 'annotations' && annotation.startsWith(annotationPrefix);
    return isInside && isInsideDeparture(error.message, annotation, verdict);
  },
  // Status is not looked at.
  isExcused: isAboutStatus,
  // The server leaves a foreign source alone where a metric's own one is missing.
  isExtra: ({ code, path }, errors) =>
    code === 'Forbidden' && errors.some((other) => other.code === 'Required' && isBeside(other.path, path)),
};

/** What both kinds of document are judged differently in. */
export function isSharedDeparture({ code, path, message }: Problem): boolean {
  const isName = code === 'Required' && path.join('.') === 'metadata.name';
  const isSelector = path.some((field) => /selector$/i.test(String(field)));
  return code === 'Placeholder' || isName || isSelector || isStrangeQuantity(message);
}

/** A document that the server refuses and we accept for its status, which is not looked at. */
export function isAboutStatus({ message }: ServerVerdict): boolean {
  return /\.status\b|unknown field "status/.test(message);
}

/** The same inside an annotation of v1, a key twice there, or an annotation that the server drops whole. */
function isInsideDeparture(message: string, annotation: string, verdict: ServerVerdict): boolean {
  const isNamed = /[sS]elector|" twice$|item of \w+ is null/.test(message);
  return isNamed || isStrangeQuantity(message) || isDropped(annotation, verdict);
}

/** No digit in front, blanks, an exponent of more than two digits or with a point. */
function isStrangeQuantity(message: string): boolean {
  if (!message.includes('must be a quantity')) return false;
  const given = /is "(.*)"$/.exec(message)?.[1] ?? '';
  return !/^[-+]?\.?\d/.test(given) || /\s/.test(given) || /[eE][-+]?(?:\d{3,}|\d*\.)/.test(given);
}

/** Whether the server kept nothing of the annotation: it did not parse. */
function isDropped(annotation: string, { object }: ServerVerdict): boolean {
  return !JSON.stringify(object).includes(`"${annotation}"`);
}

/** Whether two fields stand in one map. */
function isBeside(one: Problem['path'], other: Problem['path']): boolean {
  return one.length === other.length && one.slice(0, -1).join('\0') === other.slice(0, -1).join('\0');
}
