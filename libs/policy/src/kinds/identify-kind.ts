import { suggest } from '../reading/suggest.ts';
import { showValue } from '../reading/show-value.ts';
import type { Finding } from '../reading/place.ts';

/** How a policy document is read. */
export type PolicyKindId =
  'AutoscalingPolicy' | 'HorizontalPodAutoscaler' | 'OlderHorizontalPodAutoscaler' | 'WatermarkPodAutoscaler';

/** Documents of ours that are no policies. */
export type SupportKind = 'PolicyDefaults' | 'PolicyGuardrail' | 'PolicyTest';

/** What a document is, by its apiVersion and kind. */
export type KindOfDocument =
  | { readonly is: 'policy'; readonly id: PolicyKindId }
  | { readonly is: 'support'; readonly kind: SupportKind }
  | { readonly is: 'list' }
  | { readonly is: 'other' }
  /** Meant for us, and not one of ours: a misspelt kind must not be dropped in silence. */
  | { readonly is: 'fault'; readonly field: 'apiVersion' | 'kind'; readonly finding: Finding };

const ownGroup = 'plimsoll.dev';
const ownVersion = 'plimsoll.dev/v1alpha1';
const hpaKind = 'HorizontalPodAutoscaler';
const watermarkVersion = 'datadoghq.com/v1alpha1';
const watermarkKind = 'WatermarkPodAutoscaler';
const removedHpaVersion = 'extensions/v1beta1';

const supportKinds: readonly string[] = [
  'PolicyDefaults',
  'PolicyGuardrail',
  'PolicyTest',
] satisfies SupportKind[];
const ownKinds = ['AutoscalingPolicy', ...supportKinds];
const ourKinds: ReadonlySet<unknown> = new Set([...ownKinds, hpaKind, watermarkKind]);

/** Every apiVersion and kind that is read. */
const known: ReadonlyMap<string, KindOfDocument> = new Map<string, KindOfDocument>([
  [`${ownVersion} AutoscalingPolicy`, { is: 'policy', id: 'AutoscalingPolicy' }],
  [`${ownVersion} PolicyDefaults`, { is: 'support', kind: 'PolicyDefaults' }],
  [`${ownVersion} PolicyGuardrail`, { is: 'support', kind: 'PolicyGuardrail' }],
  [`${ownVersion} PolicyTest`, { is: 'support', kind: 'PolicyTest' }],
  [`autoscaling/v2 ${hpaKind}`, { is: 'policy', id: hpaKind }],
  [`autoscaling/v1 ${hpaKind}`, { is: 'policy', id: 'OlderHorizontalPodAutoscaler' }],
  [`autoscaling/v2beta1 ${hpaKind}`, { is: 'policy', id: 'OlderHorizontalPodAutoscaler' }],
  [`autoscaling/v2beta2 ${hpaKind}`, { is: 'policy', id: 'OlderHorizontalPodAutoscaler' }],
  [`${watermarkVersion} ${watermarkKind}`, { is: 'policy', id: watermarkKind }],
  ['v1 List', { is: 'list' }],
]);

/**
 * Says what a document is. Errors are a kind or version of our groups that does not exist, and one of our kinds' names
 * under a foreign apiVersion; any other document is not ours.
 */
export function identifyKind(apiVersion: unknown, kind: unknown): KindOfDocument {
  if (typeof apiVersion === 'string' && typeof kind === 'string') {
    const found = known.get(`${apiVersion} ${kind}`);
    if (found !== undefined) return found;
  }
  if (kind === hpaKind)
    return fault('apiVersion', wrongVersion(apiVersion, 'autoscaling/v2', removalHint(apiVersion)));
  const group = typeof apiVersion === 'string' ? apiVersion.split('/', 1)[0] : undefined;
  const isOwnGroup = group === ownGroup;
  if (isOwnGroup && apiVersion !== ownVersion)
    return fault('apiVersion', wrongVersion(apiVersion, ownVersion));
  if (isOwnGroup) return fault('kind', wrongKind(kind, ownVersion, ownKinds));
  if (group === 'autoscaling' && typeof apiVersion === 'string' && apiVersion.includes('/'))
    return fault('kind', wrongKind(kind, apiVersion, [hpaKind]));
  if (apiVersion === watermarkVersion && isMissing(kind))
    return fault('kind', wrongKind(kind, watermarkVersion, [watermarkKind]));
  if (!ourKinds.has(kind)) return { is: 'other' };
  return fault(
    'apiVersion',
    wrongVersion(apiVersion, kind === watermarkKind ? watermarkVersion : ownVersion),
  );
}

function isMissing(kind: unknown): boolean {
  return kind === undefined || kind === null || kind === '';
}

function fault(field: 'apiVersion' | 'kind', finding: Finding): KindOfDocument {
  return { is: 'fault', field, finding };
}

function wrongVersion(given: unknown, wanted: string, hint = `write apiVersion: ${wanted}`): Finding {
  if (isMissing(given)) return { code: 'Required', message: 'apiVersion is required', hint };
  if (given === removedHpaVersion)
    return { code: 'RemovedVersion', message: `apiVersion ${removedHpaVersion} no longer exists`, hint };
  return { code: 'UnknownVersion', message: `apiVersion must be ${wanted}, is ${showValue(given)}`, hint };
}

function removalHint(apiVersion: unknown): string {
  if (apiVersion === removedHpaVersion) return 'write apiVersion: autoscaling/v2';
  return 'write apiVersion: autoscaling/v2 (v1, v2beta1 and v2beta2 are read as v2)';
}

function wrongKind(given: unknown, apiVersion: string, kinds: readonly string[]): Finding {
  if (isMissing(given)) return { code: 'Required', message: `kind is required (${kinds.join(', ')})` };
  const meant = typeof given === 'string' ? suggest(given, kinds) : undefined;
  const message = `${apiVersion} has no kind ${showValue(given)} that is read here`;
  return {
    code: 'UnknownKind',
    message,
    hint: meant === undefined ? `kinds are ${kinds.join(', ')}` : `did you mean ${meant}?`,
  };
}
