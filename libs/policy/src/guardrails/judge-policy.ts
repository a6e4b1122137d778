import type { EffectivePolicy } from '../model/effective-policy.ts';
import { toNativeDocument } from '../model/native-document.ts';
import { guardrailSubject } from './guardrail-expression.ts';
import type { GuardrailRule, PolicyGuardrail } from './policy-guardrail.ts';
import { StepBudget } from './step-budget.ts';

/** Steps that all rules together may take for one policy: about 40 ms. */
const maximumPolicySteps = 200_000;

/** A rule that a policy does not satisfy, or that could not be judged. */
export interface GuardrailFinding {
  readonly guardrail: PolicyGuardrail;
  readonly rule: GuardrailRule;
  /** A rule that cannot be judged denies, whatever its severity: what is unclear keeps what is in force. */
  readonly severity: 'deny' | 'warn';
  /** Why the rule could not be evaluated; absent: it was, and does not hold. */
  readonly fault?: string;
}

/** Judges one policy by the guardrails that apply to it, within a budget for it and those judged beside it. */
export function judgePolicy(
  policy: EffectivePolicy,
  guardrails: readonly PolicyGuardrail[],
  around?: StepBudget,
): readonly GuardrailFinding[] {
  if (guardrails.length === 0) return [];
  const subject = guardrailSubject(toNativeDocument(policy));
  const budget = new StepBudget(maximumPolicySteps, 'all rules for the policy take', around);
  return guardrails.flatMap((guardrail) =>
    guardrail.rules.flatMap((rule) => {
      const result = rule.compiled.evaluate(subject, budget);
      if (!result.ok) return [{ guardrail, rule, severity: 'deny', fault: result.error }];
      return result.value ? [] : [{ guardrail, rule, severity: rule.severity }];
    }),
  );
}
