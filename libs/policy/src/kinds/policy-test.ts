import { isJsonObject, type JsonObject } from '#kernel';
import { type Fields, type Item, readMap } from '../reading/fields.ts';
import { readName } from '../reading/named.ts';
import { showValue } from '../reading/show-value.ts';
import { dnsLabelFault, dnsSubdomainFault } from '../rules/names.ts';
import { fieldsOf } from '../schema/parts.ts';
import { policyTestCaseSchema, policyTestSpec } from '../schema/support-documents.ts';
import { readSupportDocument, type SupportReading } from './support-document.ts';

const specFields = fieldsOf(policyTestSpec);
const policyFields = fieldsOf(policyTestSpec.properties.policy);
const caseFields = fieldsOf(policyTestCaseSchema);
const casesMaximum = policyTestSpec.properties.cases.maxItems;

/** One observation, and what must be decided on it. */
export interface PolicyTestCase {
  readonly name: string;
  /** As in the decision contract. */
  readonly observation: JsonObject;
  readonly memory: JsonObject;
  /** Fields of the decision; those that are not named may be anything. */
  readonly expect: JsonObject;
}

/** A `PolicyTest` document: read by `plimsoll test` only. */
export interface PolicyTest {
  readonly name: string;
  readonly policy: { readonly namespace: string; readonly name: string };
  readonly settings: JsonObject;
  readonly cases: readonly PolicyTestCase[];
}

/** Reads a `PolicyTest` document; observations are validated when they are run. */
export function readPolicyTest(value: unknown): SupportReading<PolicyTest> {
  return readSupportDocument(value, specFields, (name, spec) => {
    const policy = readReference(spec);
    const settings = readObject(spec, 'settings');
    const cases = readCases(spec);
    return policy === undefined ? undefined : { name, policy, settings: settings ?? {}, cases };
  });
}

function readReference(spec: Fields): PolicyTest['policy'] | undefined {
  const fields = spec.requires('policy', 'namespace and name of the policy')
    ? spec.map('policy', policyFields)
    : undefined;
  if (fields === undefined) return undefined;
  const namespace = readName(fields, 'namespace', dnsLabelFault);
  const name = readName(fields, 'name', dnsSubdomainFault);
  return namespace === undefined || name === undefined ? undefined : { namespace, name };
}

function readCases(spec: Fields): readonly PolicyTestCase[] {
  if (!spec.requires('cases')) return [];
  const items = spec.list('cases', casesMaximum) ?? [];
  const names = new Set<string>();
  return items.map((item) => readCase(item, names)).filter((each) => each !== undefined);
}

function readCase(item: Item, names: Set<string>): PolicyTestCase | undefined {
  const fields = readMap(item, caseFields);
  if (fields === undefined) return undefined;
  const name = readCaseName(fields, names);
  const observation = fields.requires('observation') ? readObject(fields, 'observation') : undefined;
  const expect = fields.requires('expect') ? readObject(fields, 'expect') : undefined;
  if (expect !== undefined && Object.keys(expect).length === 0) {
    const message = 'expect must name a field of the decision: an empty one is met by every decision';
    fields.report('expect', { code: 'Required', message, hint: 'such as desiredReplicas or action' });
  }
  const memory = readObject(fields, 'memory') ?? {};
  if (name === undefined || observation === undefined || expect === undefined) return undefined;
  return { name, observation, memory, expect };
}

function readCaseName(fields: Fields, names: Set<string>): string | undefined {
  const name = fields.requiredString('name');
  if (name === undefined) return undefined;
  const message = `name ${showValue(name)} is already a case's of this test`;
  if (names.has(name)) fields.report('name', { code: 'DuplicateName', message });
  names.add(name);
  return name;
}

function readObject(fields: Fields, name: string): JsonObject | undefined {
  const value = fields.raw(name);
  if (value === undefined || isJsonObject(value)) return value;
  fields.report(name, { code: 'InvalidType', message: `${name} must be a map, is ${showValue(value)}` });
  return undefined;
}
