import type { LabelSelector, LabelSelectorRequirement } from '../model/metric-spec.ts';
import { type Fields, type Item, type NullEntries, readMap } from '../reading/fields.ts';
import { showValue } from '../reading/show-value.ts';
import { definitions, fieldsOf, requirementSchema } from '../schema/parts.ts';
import { labelValueFault, qualifiedNameFault } from './names.ts';

const selectorFields = fieldsOf(definitions.selector);
const requirementFields = fieldsOf(requirementSchema);
const operators = requirementSchema.properties.operator.enum;

/**
 * Reads a label selector. Servers take any in a metric and fail in every pass; here it must be valid: found at review,
 * not at night.
 */
export function readLabelSelector(
  fields: Fields,
  name: string,
  nulls: NullEntries = 'Empty',
): LabelSelector | undefined {
  const selector = fields.map(name, selectorFields);
  return selector === undefined ? undefined : readSelectorFields(selector, nulls);
}

/** Reads `matchLabels` and `matchExpressions` of a map. */
export function readSelectorFields(selector: Fields, nulls: NullEntries = 'Empty'): LabelSelector {
  const matchLabels = readMatchLabels(selector, nulls);
  const expressions = selector.list('matchExpressions');
  const matchExpressions = expressions?.map(readRequirement).filter((each) => each !== undefined);
  return {
    ...(matchLabels !== undefined && { matchLabels }),
    ...(matchExpressions !== undefined && { matchExpressions }),
  };
}

function readMatchLabels(selector: Fields, nulls: NullEntries): Readonly<Record<string, string>> | undefined {
  const labels = selector.stringMap('matchLabels', nulls);
  const place = selector.place.child('matchLabels');
  for (const [key, value] of Object.entries(labels ?? {})) {
    const keyFault = qualifiedNameFault(key);
    if (keyFault !== undefined) {
      place
        .child(key)
        .report({ code: 'InvalidValue', message: `the label key ${showValue(key)} ${keyFault}` });
    }
    const fault = labelValueFault(value);
    if (fault !== undefined) {
      place.child(key).report({
        code: 'InvalidValue',
        message: `the label ${showValue(key)} ${fault}, is ${showValue(value)}`,
      });
    }
  }
  return labels;
}

function readRequirement(item: Item): LabelSelectorRequirement | undefined {
  const fields = readMap(item, requirementFields);
  if (fields === undefined) return undefined;
  const key = readKey(fields);
  const operator = fields.requires('operator') ? fields.word('operator', operators) : undefined;
  const values = readValues(fields);
  if (operator !== undefined) checkCount(fields, operator);
  if (key === undefined || operator === undefined) return undefined;
  return { key, operator, ...(values !== undefined && { values }) };
}

function readKey(fields: Fields): string | undefined {
  const key = fields.requiredString('key');
  const fault = key === undefined ? undefined : qualifiedNameFault(key);
  if (fault === undefined) return key;
  fields.report('key', { code: 'InvalidValue', message: `key ${fault}, is ${showValue(key)}` });
  return undefined;
}

function readValues(fields: Fields): readonly string[] | undefined {
  return fields.list('values')?.flatMap(({ value, place }) => {
    if (typeof value !== 'string') {
      place.report({
        code: 'InvalidType',
        message: `an item of values must be a string, is ${showValue(value)}`,
      });
      return [];
    }
    const fault = labelValueFault(value);
    if (fault !== undefined)
      place.report({ code: 'InvalidValue', message: `an item of values ${fault}, is ${showValue(value)}` });
    return [value];
  });
}

function checkCount(fields: Fields, operator: (typeof operators)[number]): void {
  const values = fields.raw('values');
  if (values !== undefined && !Array.isArray(values)) return;
  const isEmpty = values === undefined || values.length === 0;
  const wantsValues = operator === 'In' || operator === 'NotIn';
  if (wantsValues && isEmpty) {
    fields.report('values', {
      code: 'Required',
      message: `values must have an item where operator is ${operator}`,
    });
  }
  if (!wantsValues && !isEmpty) {
    fields.report('values', {
      code: 'Forbidden',
      message: `values must be left out where operator is ${operator}`,
    });
  }
}
