import type { EffectivePolicy } from '../model/effective-policy.ts';
import { toNativeDocument } from '../native-document.ts';
import { evaluateExpression } from './compile-expression.ts';
import type { GuardrailRule, PolicyGuardrail } from './policy-guardrail.ts';

/** A rule that a policy does not satisfy, or that could not be judged. */
export interface GuardrailFinding {
  readonly guardrail: string;
  readonly rule: string;
  /** A rule that cannot be judged denies, whatever its severity: what is unclear keeps what is in force. */
  readonly severity: 'deny' | 'warn';
  readonly message: string;
}

/** Judges one policy by the guardrails that apply to it. */
export function judgePolicy(
  policy: EffectivePolicy,
  guardrails: readonly PolicyGuardrail[],
): readonly GuardrailFinding[] {
  if (guardrails.length === 0) return [];
  const document = toNativeDocument(policy);
  return guardrails.flatMap((guardrail) =>
    guardrail.rules.flatMap((rule) => {
      const result = evaluateExpression(rule.compiled, document);
      if (result.ok) return result.value ? [] : [finding(guardrail, rule, rule.message)];
      const message = `${rule.expression} cannot be judged: ${result.error}`;
      return [{ ...finding(guardrail, rule, message), severity: 'deny' }];
    }),
  );
}

function finding(guardrail: PolicyGuardrail, rule: GuardrailRule, message: string): GuardrailFinding {
  return { guardrail: guardrail.name, rule: rule.name, severity: rule.severity, message };
}
