import { apiGroupOf } from '#kernel';
import type { ScaleTargetRef } from '../model/effective-policy.ts';
import type { DescribedObject } from '../model/metric-spec.ts';
import type { Fields } from '../reading/fields.ts';
import { readName } from '../reading/named.ts';
import type { Finding } from '../reading/place.ts';
import { hasPlaceholder, placeholderLeft } from '../reading/placeholder.ts';
import { showValue } from '../reading/show-value.ts';
import { suggest } from '../reading/suggest.ts';
import { suggested } from '../reading/suggested.ts';
import { definitions, fieldsOf } from '../schema/parts.ts';
import { pathSegmentFault } from './names.ts';

/** The kinds of Kubernetes' own group that have a `scale`. */
const appsWithScale: readonly string[] = ['Deployment', 'StatefulSet', 'ReplicaSet'];

const referenceFields = fieldsOf(definitions.objectReference);

/** Reads `scaleTargetRef`: kind, name, and an apiVersion with a group, or `v1` for a ReplicationController. */
export function readScaleTargetRef(spec: Fields): ScaleTargetRef | undefined {
  const fields = readReference(spec, 'scaleTargetRef');
  if (fields === undefined) return undefined;
  const kind = readName(fields, 'kind', pathSegmentFault);
  const name = readName(fields, 'name', pathSegmentFault);
  const apiVersion = readTargetVersion(fields, kind);
  if (kind === undefined || name === undefined || apiVersion === undefined) return undefined;
  if (apiGroupOf(apiVersion) === 'apps' && !appsWithScale.includes(kind))
    fields.report('kind', unscalable(kind, apiVersion));
  if (apiGroupOf(apiVersion) === 'extensions') fields.report('apiVersion', removedGroup(apiVersion));
  return { apiVersion, kind, name };
}

/** A cluster might serve another kind under Kubernetes' own group one day, so it is no error. */
function unscalable(kind: string, apiVersion: string): Finding {
  return {
    severity: 'warning',
    code: 'UnknownTarget',
    message: `${apiVersion} has no kind ${showValue(kind)} with a count: it has ${appsWithScale.join(', ')}`,
    ...suggested(suggest(kind, appsWithScale)),
  };
}

/** No cluster has served a kind of this group since Kubernetes 1.22, which the target is looked for by. */
function removedGroup(apiVersion: string): Finding {
  return {
    severity: 'warning',
    code: 'UnknownTarget',
    message: `no cluster serves ${apiVersion} any more, so that nothing can be scaled`,
    hint: 'write apiVersion: apps/v1',
  };
}

/** Reads an object that a metric describes; its apiVersion may be absent or without a group. */
export function readDescribedObject(fields: Fields, field: string): DescribedObject | undefined {
  const reference = readReference(fields, field);
  if (reference === undefined) return undefined;
  const kind = readName(reference, 'kind', pathSegmentFault);
  const name = readName(reference, 'name', pathSegmentFault);
  const apiVersion = reference.string('apiVersion') ?? '';
  if (isUnusable(reference, apiVersion)) return undefined;
  if (kind === undefined || name === undefined) return undefined;
  return { kind, name, ...(apiVersion !== '' && { apiVersion }) };
}

function readReference(parent: Fields, name: string): Fields | undefined {
  return parent.requires(name) ? parent.map(name, referenceFields) : undefined;
}

function readTargetVersion(fields: Fields, kind: string | undefined): string | undefined {
  const apiVersion = fields.requiredString('apiVersion');
  if (apiVersion === undefined || isUnusable(fields, apiVersion)) return undefined;
  const isController = kind === 'ReplicationController';
  if ((isController && apiVersion === 'v1') || apiGroupOf(apiVersion) !== '') return apiVersion;
  const message = `apiVersion must have a group, is ${showValue(apiVersion)}`;
  const hint = isController ? 'a ReplicationController is of v1' : 'apps/v1 for a Deployment or StatefulSet';
  fields.report('apiVersion', { code: 'InvalidValue', message, hint });
  return undefined;
}

/** Reads the apiVersion of an object that is read by GET; its group and version are parts of the address. */
export function readObjectVersion(fields: Fields): string | undefined {
  const apiVersion = fields.requiredString('apiVersion');
  if (apiVersion === undefined || isUnusable(fields, apiVersion)) return undefined;
  const fault = apiVersion
    .split('/')
    .map(pathSegmentFault)
    .find((each) => each !== undefined);
  if (fault === undefined) return apiVersion;
  const message = `group and version of apiVersion ${fault}, is ${showValue(apiVersion)}`;
  fields.report('apiVersion', { code: 'InvalidValue', message });
  return undefined;
}

function isUnusable(fields: Fields, apiVersion: string): boolean {
  if (hasPlaceholder(apiVersion)) {
    fields.report('apiVersion', placeholderLeft('apiVersion', apiVersion));
    return true;
  }
  if (apiVersion === '/' || apiVersion.indexOf('/') === apiVersion.lastIndexOf('/')) return false;
  const message = `apiVersion must have at most one /, is ${showValue(apiVersion)}`;
  fields.report('apiVersion', { code: 'InvalidValue', message });
  return true;
}
