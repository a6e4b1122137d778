import type { Problem } from '#policy';
import type { ServerVerdict } from './server-verdict.ts';

/** What one kind may be judged differently in. */
export interface Departures {
  /** Whether a document that the server accepts may be refused for this error. */
  readonly isNamed: (error: Problem, verdict: ServerVerdict) => boolean;
  /** Whether a document that the server refuses may be accepted. */
  readonly isExcused: (verdict: ServerVerdict) => boolean;
  /** Whether an error may be reported that the server leaves out of what it refuses all the same. */
  readonly isExtra?: (error: Problem, errors: readonly Problem[]) => boolean;
}

/** What both made of a document. */
export interface Judged {
  readonly verdict: ServerVerdict;
  /** Whether it is a policy here. */
  readonly isPolicy: boolean;
  readonly errors: readonly Problem[];
}

/** Where we judge a document, or a field of it, otherwise than the server, but for the departures. */
export function differencesOf(judged: Judged, departures: Departures): readonly string[] {
  const { verdict, isPolicy, errors } = judged;
  const unnamed = errors.filter((error) => !departures.isNamed(error, verdict));
  if (verdict.isAccepted) return isPolicy ? [] : unnamed.map((error) => `only we refuse ${show(error)}`);
  if (isPolicy) return departures.isExcused(verdict) ? [] : [`only the server refuses: ${verdict.message}`];
  const untold = verdict.fields.filter((field) => !errors.some((error) => isAbout(error, field)));
  const surplus = verdict.isComplete ? unnamed.filter((error) => !isRefused(error, verdict)) : [];
  const extra = surplus.filter((error) => departures.isExtra?.(error, errors) !== true);
  const isDeparture = untold.length > 0 && departures.isExcused({ ...verdict, fields: untold });
  return [
    ...(isDeparture ? [] : untold.map((field) => `nothing is reported of ${field}: ${verdict.message}`)),
    ...extra.map((error) => `only we report ${show(error)}, beside ${verdict.message}`),
  ];
}

function show({ code, path, message }: Problem): string {
  return `${code} at ${serverPath(path)}: ${message}`;
}

function isRefused(error: Problem, { fields }: ServerVerdict): boolean {
  return fields.some((field) => isAbout(error, field));
}

/**
 * Whether an error is reported of the server's field: of itself, of an entry in it (the server names the map of a wrong
 * label), or of a value around it whose type is wrong, inside which nothing is reported. Some of the server's have no
 * indexes, and those of its decoder no beginning.
 */
function isAbout({ path }: Problem, field: string): boolean {
  return placesOf(path).some((place) => {
    const plain = place.replaceAll(/\[\d+\]/g, '');
    return (
      [place, plain].some((each) => isWithin(each, field) || isWithin(field, each)) ||
      `.${plain}.`.includes(`.${field}.`)
    );
  });
}

function isWithin(inner: string, outer: string): boolean {
  return inner === outer || inner.startsWith(`${outer}.`) || inner.startsWith(`${outer}[`);
}

const annotationPrefix = 'autoscaling.alpha.kubernetes.io/';

/** A path as servers write it; what v1 says elsewhere also as the field of v2 that it becomes. */
function placesOf(path: Problem['path']): readonly string[] {
  const own = serverPath(path);
  const last = String(path.at(-1));
  if (last === 'targetCPUUtilizationPercentage') return [own, 'spec.metrics'];
  return last.startsWith(annotationPrefix) ? [own, `spec.${last.slice(annotationPrefix.length)}`] : [own];
}

/** Keys behind dots, whatever is in them. */
function serverPath(path: Problem['path']): string {
  const text = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`)).join('');
  return text.slice(1).toWellFormed();
}
