import { isJsonObject, type JsonObject } from '#kernel';
import { readDefaultableFields } from '../kinds/autoscaling-policy.ts';
import { readSupportDocument, type SupportReading } from '../kinds/support-document.ts';
import type { Fields } from '../reading/fields.ts';
import { type PolicySelector, readPolicySelector } from '../rules/policy-selector.ts';
import { ownToPolicy } from '../schema/autoscaling-policy.ts';
import { fieldsOf } from '../schema/parts.ts';
import { policyDefaultsSpec } from '../schema/support-documents.ts';

const specFields = fieldsOf(policyDefaultsSpec);
const defaultableFields = fieldsOf(policyDefaultsSpec.properties.values);

/** A `PolicyDefaults` document: values for what AutoscalingPolicies leave out. */
export interface PolicyDefaults {
  readonly name: string;
  /** Absent: it acts on the policies of its directory tree. */
  readonly selector?: PolicySelector;
  /** Fields of an AutoscalingPolicy's `spec`. */
  readonly values: JsonObject;
}

/** Reads a `PolicyDefaults` document. */
export function readPolicyDefaults(value: unknown): SupportReading<PolicyDefaults> {
  return readSupportDocument(value, specFields, (name, spec) => {
    const selector = readPolicySelector(spec);
    const values = readValues(spec);
    return values === undefined ? undefined : { name, values, ...(selector !== undefined && { selector }) };
  });
}

function readValues(spec: Fields): JsonObject | undefined {
  if (!spec.requires('values', 'the fields of an AutoscalingPolicy that it fills in')) return undefined;
  for (const name of ownToPolicy) refuseOwn(spec, name);
  const fields = spec.map('values', new Set([...defaultableFields, ...ownToPolicy]));
  if (fields === undefined) return undefined;
  readDefaultableFields(fields);
  const values = spec.raw('values');
  return isJsonObject(values) ? values : undefined;
}

function refuseOwn(spec: Fields, name: string): void {
  const values = spec.raw('values');
  if (!isJsonObject(values) || values[name] === undefined || values[name] === null) return;
  const message = `${name} belongs to each policy and has no default`;
  spec.place.child('values').child(name).report({ code: 'Forbidden', message });
}
