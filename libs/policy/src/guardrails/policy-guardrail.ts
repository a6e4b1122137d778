import { readSupportDocument, type SupportReading } from '../kinds/support-document.ts';
import { type Fields, type Item, readMap } from '../reading/fields.ts';
import { readName } from '../reading/named.ts';
import { showValue } from '../reading/show-value.ts';
import { dnsLabelFault } from '../rules/names.ts';
import { type PolicySelector, readPolicySelector } from '../rules/policy-selector.ts';
import { fieldsOf } from '../schema/parts.ts';
import { guardrailRuleSchema, policyGuardrailSpec } from '../schema/support-documents.ts';
import { compileExpression, type GuardrailExpression } from './guardrail-expression.ts';

const specFields = fieldsOf(policyGuardrailSpec);
const ruleFields = fieldsOf(guardrailRuleSchema);
const rulesMaximum = policyGuardrailSpec.properties.rules.maxItems;

/** One rule that policies must satisfy. */
export interface GuardrailRule {
  readonly name: string;
  readonly expression: string;
  readonly message: string;
  /** `deny` rejects, `warn` only says so. */
  readonly severity: 'deny' | 'warn';
  readonly compiled: GuardrailExpression;
}

/** A `PolicyGuardrail` document, its expressions compiled. */
export interface PolicyGuardrail {
  readonly name: string;
  /** Absent: it judges the policies of its directory tree. */
  readonly selector?: PolicySelector;
  readonly rules: readonly GuardrailRule[];
}

/** Reads a `PolicyGuardrail` document; an expression that does not compile is an error. */
export function readPolicyGuardrail(value: unknown): SupportReading<PolicyGuardrail> {
  return readSupportDocument(value, specFields, (name, spec) => {
    const selector = readPolicySelector(spec);
    const rules = readRules(spec, name);
    return { name, rules, ...(selector !== undefined && { selector }) };
  });
}

function readRules(spec: Fields, guardrail: string): readonly GuardrailRule[] {
  if (!spec.requires('rules')) return [];
  const items = spec.list('rules', rulesMaximum) ?? [];
  const written = spec.raw('rules');
  if (Array.isArray(written) && written.length === 0)
    spec.report('rules', { code: 'Required', message: 'rules must have at least one item' });
  const names = new Set<string>();
  return items.map((item) => readRule(item, { guardrail, names })).filter((rule) => rule !== undefined);
}

/** The guardrail that a rule is of, and the names of its rules before. */
interface RuleList {
  readonly guardrail: string;
  readonly names: Set<string>;
}

function readRule(item: Item, { guardrail, names }: RuleList): GuardrailRule | undefined {
  const fields = readMap(item, ruleFields);
  if (fields === undefined) return undefined;
  const name = readName(fields, 'name', dnsLabelFault);
  if (name !== undefined && names.has(name)) {
    fields.report('name', {
      code: 'DuplicateName',
      message: `name ${showValue(name)} is already a rule's of this guardrail`,
    });
  }
  if (name !== undefined) names.add(name);
  const message = fields.requiredString('message');
  const severity = fields.word('severity', guardrailRuleSchema.properties.severity.enum) ?? 'deny';
  const expression = readExpression(fields, `guardrail ${guardrail}, rule ${name ?? '?'}`);
  if (expression === undefined || name === undefined || message === undefined) return undefined;
  return { name, ...expression, message, severity };
}

function readExpression(
  fields: Fields,
  rule: string,
): Pick<GuardrailRule, 'expression' | 'compiled'> | undefined {
  const expression = fields.requiredString('expression');
  if (expression === undefined) return undefined;
  const compiled = compileExpression(expression);
  if (compiled.ok) {
    for (const finding of compiled.value.strangeFields)
      fields.report('expression', { ...finding, message: `${rule}: ${finding.message}` });
    return { expression, compiled: compiled.value };
  }
  fields.report('expression', {
    code: 'InvalidValue',
    message: `expression does not compile: ${compiled.error}`,
  });
  return undefined;
}
