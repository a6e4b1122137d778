import type { PolicyDocumentKind } from '../model/effective-policy.ts';
import type { Finding, Place } from '../reading/place.ts';
import { showValue } from '../reading/show-value.ts';
import { suggest } from '../reading/suggest.ts';
import { suggested } from '../reading/suggested.ts';

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

function faultOf(key: string, value: string): Finding | undefined {
  const values = known.get(key);
  if (values === undefined) {
    const suggestion = suggested(suggest(key, known.keys()), `known are ${[...known.keys()].join(', ')}`);
    return { code: 'UnknownField', message: `${showValue(key)} is no annotation of Plimsoll`, ...suggestion };
  }
  if (values.includes(value)) return undefined;
  const message = `${key} must be ${values.join(', ')}, is ${showValue(value)}`;
  return { code: 'NotSupported', message, hint: 'remove the annotation if that is not meant' };
}
