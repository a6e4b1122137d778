import type { PolicyDocumentKind } from '../model/effective-policy.ts';
import type { Place } from '../reading/place.ts';
import { showValue } from '../reading/show-value.ts';
import { suggest } from '../reading/suggest.ts';

const prefix = 'plimsoll.dev/';

/** The annotations that mean something, and the values that they may have. */
const known: ReadonlyMap<string, readonly string[]> = new Map([
  ['plimsoll.dev/prune', ['disabled']],
  ['plimsoll.dev/adopt', ['Never', 'IfEqual', 'Always']],
  ['plimsoll.dev/release', ['true']],
]);

/**
 * Checks annotations of our own prefix: a misspelt `prune: disabled` must not be dropped in silence. On the two foreign
 * kinds, whose validation is their server's, it is a warning.
 */
export function readPlimsollAnnotations(
  annotations: Readonly<Record<string, string>>,
  place: Place,
  kind: PolicyDocumentKind | 'Other',
): void {
  const isForeign = kind === 'HorizontalPodAutoscaler' || kind === 'WatermarkPodAutoscaler';
  for (const [key, value] of Object.entries(annotations)) {
    if (!key.startsWith(prefix)) continue;
    const fault = faultOf(key, value);
    if (fault !== undefined) place.child(key).report({ ...fault, severity: isForeign ? 'warning' : 'error' });
  }
}

function faultOf(
  key: string,
  value: string,
): { code: 'UnknownField' | 'NotSupported'; message: string; hint: string } | undefined {
  const values = known.get(key);
  if (values === undefined) {
    const meant = suggest(key, known.keys());
    const hint = meant === undefined ? `known are ${[...known.keys()].join(', ')}` : `did you mean ${meant}?`;
    return { code: 'UnknownField', message: `${showValue(key)} is no annotation of Plimsoll`, hint };
  }
  if (values.includes(value)) return undefined;
  const message = `${key} must be ${values.join(', ')}, is ${showValue(value)}`;
  return { code: 'NotSupported', message, hint: 'remove the annotation if that is not meant' };
}
