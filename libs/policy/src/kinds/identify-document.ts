import { apiGroupOf } from '#kernel';
import { wrongType } from '../reading/field-findings.ts';
import type { Finding } from '../reading/place.ts';
import { showValue } from '../reading/show-value.ts';
import { suggest } from '../reading/suggest.ts';
import { suggested } from '../reading/suggested.ts';

/** How a policy document is written: its kind, and whether it is one of the HorizontalPodAutoscaler's older versions. */
export type PolicyForm =
  'AutoscalingPolicy' | 'HorizontalPodAutoscaler' | 'OlderHorizontalPodAutoscaler' | 'WatermarkPodAutoscaler';

/** Documents of ours that are no policies. */
export type SupportKind = 'PolicyDefaults' | 'PolicyGuardrail' | 'PolicyTest';

/** What a document is, by its apiVersion and kind. */
export type DocumentIdentity =
  | { readonly kind: 'policy'; readonly form: PolicyForm }
  | { readonly kind: 'support'; readonly supportKind: SupportKind }
  | { readonly kind: 'list' }
  | { readonly kind: 'other' }
  /** Meant for us, and not one of ours: a misspelt kind must not be dropped in silence. */
  | { readonly kind: 'fault'; readonly field: 'apiVersion' | 'kind'; readonly finding: Finding };

const ownGroup = 'plimsoll.dev';
const ownVersion = 'plimsoll.dev/v1alpha1';
const hpaGroup = 'autoscaling';
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

/** Every apiVersion and kind that is read. */
const known: ReadonlyMap<string, DocumentIdentity> = new Map<string, DocumentIdentity>([
  [`${ownVersion} AutoscalingPolicy`, { kind: 'policy', form: 'AutoscalingPolicy' }],
  [`${ownVersion} PolicyDefaults`, { kind: 'support', supportKind: 'PolicyDefaults' }],
  [`${ownVersion} PolicyGuardrail`, { kind: 'support', supportKind: 'PolicyGuardrail' }],
  [`${ownVersion} PolicyTest`, { kind: 'support', supportKind: 'PolicyTest' }],
  [`autoscaling/v2 ${hpaKind}`, { kind: 'policy', form: hpaKind }],
  [`autoscaling/v1 ${hpaKind}`, { kind: 'policy', form: 'OlderHorizontalPodAutoscaler' }],
  [`autoscaling/v2beta1 ${hpaKind}`, { kind: 'policy', form: 'OlderHorizontalPodAutoscaler' }],
  [`autoscaling/v2beta2 ${hpaKind}`, { kind: 'policy', form: 'OlderHorizontalPodAutoscaler' }],
  [`${watermarkVersion} ${watermarkKind}`, { kind: 'policy', form: watermarkKind }],
  ['v1 List', { kind: 'list' }],
]);

/**
 * Says what a document is. Errors are a kind or version of our groups that does not exist, and one of our kinds' names
 * under a foreign apiVersion; any other document is not ours.
 */
export function identifyDocument(apiVersion: unknown, kind: unknown): DocumentIdentity {
  const found = isText(apiVersion) && isText(kind) ? known.get(`${apiVersion} ${kind}`) : undefined;
  return found ?? versionFault(apiVersion, kind) ?? kindFault(apiVersion, kind) ?? { kind: 'other' };
}

/** One of our kinds' names, or one of our groups, under a version that is not read. */
function versionFault(apiVersion: unknown, kind: unknown): DocumentIdentity | undefined {
  if (kind === hpaKind)
    return fault('apiVersion', wrongVersion(apiVersion, 'autoscaling/v2', removalHint(apiVersion)));
  if (kind === watermarkKind) return fault('apiVersion', wrongVersion(apiVersion, watermarkVersion));
  const isForeignVersion =
    apiVersion !== ownVersion && (isOfGroup(apiVersion, ownGroup) || isOneOf(ownKinds, kind));
  return isForeignVersion ? fault('apiVersion', wrongVersion(apiVersion, ownVersion)) : undefined;
}

/** A kind that a version of ours does not have. */
function kindFault(apiVersion: unknown, kind: unknown): DocumentIdentity | undefined {
  if (apiVersion === ownVersion) return fault('kind', wrongKind(kind, ownVersion, ownKinds));
  if (isOfGroup(apiVersion, hpaGroup)) return fault('kind', wrongKind(kind, String(apiVersion), [hpaKind]));
  if (apiVersion !== watermarkVersion || (isText(kind) && !isMissing(kind))) return undefined;
  return fault('kind', wrongKind(kind, watermarkVersion, [watermarkKind]));
}

function isOfGroup(apiVersion: unknown, group: string): boolean {
  return isText(apiVersion) && apiGroupOf(apiVersion) === group;
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isOneOf(names: readonly string[], value: unknown): boolean {
  return isText(value) && names.includes(value);
}

function isMissing(kind: unknown): boolean {
  return kind === undefined || kind === null || kind === '';
}

function fault(field: 'apiVersion' | 'kind', finding: Finding): DocumentIdentity {
  return { kind: 'fault', field, finding };
}

function wrongVersion(given: unknown, wanted: string, hint = `write apiVersion: ${wanted}`): Finding {
  if (isMissing(given)) return { code: 'Required', message: 'apiVersion is required', hint };
  if (!isText(given)) return wrongType('apiVersion', given, 'a string');
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
  if (!isText(given)) return wrongType('kind', given, 'a string');
  const message = `${apiVersion} has no kind ${showValue(given)} that is read here`;
  const suggestion = suggested(suggest(given, kinds), `kinds are ${kinds.join(', ')}`);
  return { code: 'UnknownKind', message, ...suggestion };
}
