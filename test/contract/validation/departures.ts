import type { Problem } from '#policy';

/** What the server made of a document. */
export interface ServerVerdict {
  readonly isAccepted: boolean;
  /** The object as the server answers it, where it accepted. */
  readonly object: unknown;
  readonly message: string;
}

const annotationPrefix = 'autoscaling.alpha.kubernetes.io/';

/**
 * Whether a document that the server accepts and we refuse is one of the named departures: placeholders, nulls in lists,
 * names that the server would generate, selectors that would fail in every pass, quantities without digit, with blanks or
 * with long exponents, a ReplicationController without `v1`, and annotations of v1 that the server drops in silence.
 */
export function isNamedDeparture(errors: readonly Problem[], verdict: ServerVerdict): boolean {
  return errors.every((error) => isOne(error, verdict));
}

function isOne(error: Problem, verdict: ServerVerdict): boolean {
  const { code, path, message } = error;
  const fields = path.map(String);
  if (code === 'Placeholder' || code === 'NullItem' || isIdentity(fields.join('.'), code)) return true;
  if (fields.some((field) => /selector$/i.test(field))) return true;
  const [, section, annotation = ''] = fields;
  const isInside = section === 'annotations' && annotation.startsWith(annotationPrefix);
  return isInside ? isInsideDeparture(message, annotation, verdict) : isStrangeQuantity(message);
}

/** The same inside an annotation of v1, a key twice there, or an annotation that the server drops whole. */
function isInsideDeparture(message: string, annotation: string, verdict: ServerVerdict): boolean {
  const isNamed = /[sS]elector|" twice$|item of \w+ is null/.test(message);
  return isNamed || isStrangeQuantity(message) || isDropped(annotation, verdict);
}

/** A name that the server makes up, a ReplicationController without `v1`. */
function isIdentity(field: string, code: string): boolean {
  return field === 'spec.scaleTargetRef.apiVersion' || (field === 'metadata.name' && code === 'Required');
}

function isStrangeQuantity(message: string): boolean {
  if (!message.includes('must be a quantity')) return false;
  const given = /is "(.*)"$/.exec(message)?.[1] ?? '';
  return !/^[-+]?\.?\d/.test(given) || /\s/.test(given) || /[eE][-+]?\d{3,}/.test(given);
}

/** Whether the server kept nothing of the annotation: it did not parse. */
function isDropped(annotation: string, { object }: ServerVerdict): boolean {
  return !JSON.stringify(object).includes(`"${annotation}"`);
}

/** A document that the server refuses and we accept: only for its status, which is not looked at. */
export function isAboutStatus(verdict: ServerVerdict): boolean {
  return /\.status\b|unknown field "status/.test(verdict.message);
}
