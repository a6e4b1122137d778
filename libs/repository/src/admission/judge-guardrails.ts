import { nameSome, namespacedName } from '#kernel';
import { type EffectivePolicy, type FilePlace, judgePolicy, type Problem, type StepBudget } from '#policy';
import type { RepositoryDocument, TenantDiagnostic } from '../documents/repository-reading.ts';
import type { PlacedGuardrail } from './policy-rules.ts';

/** What the guardrails say of one policy. */
export interface GuardrailJudgement {
  /** Rules that do not hold. */
  readonly problems: readonly Problem[];
  /** Rules that could not be evaluated, each of which denies. */
  readonly unevaluated: readonly UnevaluatedRule[];
}

/** A rule that could not be evaluated for a policy. */
export interface UnevaluatedRule {
  readonly policy: RepositoryDocument;
  readonly guardrail: RepositoryDocument;
  /** Of the rule's expression, from the root of the guardrail's document. */
  readonly path: Problem['path'];
  readonly rule: string;
  readonly expression: string;
  readonly fault: string;
}

/** Judges a policy by the guardrails that apply to it. */
export function judgeGuardrails(
  source: RepositoryDocument,
  policy: EffectivePolicy,
  { guardrails, steps }: { readonly guardrails: readonly PlacedGuardrail[]; readonly steps: StepBudget },
): GuardrailJudgement {
  const problems: Problem[] = [];
  const unevaluated: UnevaluatedRule[] = [];
  const judged = guardrails.map(({ value }) => value);
  for (const { guardrail, rule, fault, severity } of judgePolicy(policy, judged, steps)) {
    const name = `guardrail ${guardrail.name}, rule ${rule.name}`;
    const placed = guardrails.find(({ value }) => value === guardrail);
    const path = ['spec', 'rules', guardrail.rules.indexOf(rule), 'expression'];
    if (fault === undefined || placed === undefined) {
      problems.push({
        severity: severity === 'deny' ? 'error' : 'warning',
        code: 'Guardrail',
        message: `${name}: ${rule.message}`,
        path: ['spec'],
        ...(placed === undefined
          ? {}
          : { hint: wantedBy(rule.expression, { guardrail: placed.source, path }) }),
      });
      continue;
    }
    unevaluated.push({
      policy: source,
      guardrail: placed.source,
      path,
      rule: name,
      expression: rule.expression,
      fault,
    });
  }
  return { problems, unevaluated };
}

/** The error of one policy by a rule that could not be evaluated for it. */
export function unevaluatedProblem({ rule, expression, fault }: UnevaluatedRule): Problem {
  return {
    severity: 'error',
    code: 'Guardrail',
    message: `${rule}: ${expression} cannot be evaluated: ${fault}`,
    path: ['spec'],
  };
}

/** A message is one line; `related` has the places of all. */
const maximumNamed = 3;

/**
 * Errors of one tenant's policies by rules that could not be evaluated. A rule that fails for several in one way is
 * wrong itself, as likely as not: it is one error, at the rule. That of a single policy stands at the policy.
 */
export function placeUnevaluated(found: readonly UnevaluatedRule[]): readonly TenantDiagnostic[] {
  const alike = Map.groupBy(found, (each) => `${placeText(rulePlace(each))} ${each.fault}`);
  return [...alike.values()].flatMap((rules) => {
    const [first, second] = rules;
    if (first === undefined) return [];
    return second === undefined ? [atPolicy(first)] : [atRule(first, rules)];
  });
}

function atPolicy(unevaluated: UnevaluatedRule): TenantDiagnostic {
  const { policy } = unevaluated;
  const problem = unevaluatedProblem(unevaluated);
  const { path } = unevaluated;
  return {
    ...problem,
    hint: hintOf(unevaluated),
    file: policy.file,
    ...policy.locate(problem.path),
    related: [{ ...rulePlace(unevaluated), path }],
    tenant: policy.tenant,
  };
}

function atRule(first: UnevaluatedRule, rules: readonly UnevaluatedRule[]): TenantDiagnostic {
  const names = rules.map(({ policy }) => namespacedName(policy)).sort();
  return {
    severity: 'error',
    code: 'Guardrail',
    message: `${first.rule}: ${first.expression} cannot be evaluated for ${nameSome(names, maximumNamed)}: ${first.fault}`,
    path: first.path,
    hint: hintOf(first),
    ...rulePlace(first),
    related: rules.map(({ policy }) => {
      const path = ['spec'];
      return { file: policy.file, ...policy.locate(path), path };
    }),
    tenant: first.policy.tenant,
  };
}

function hintOf(unevaluated: UnevaluatedRule): string {
  const place = placeText(rulePlace(unevaluated));
  return `the rule is at ${place}; where a policy may lack a field, ask has(…) first`;
}

/** What a rule asks for, since its message says only what its author thought of. */
function wantedBy(expression: string, rule: RulePlace): string {
  return `${expression} is to hold: the rule is at ${placeText(rulePlace(rule))}`;
}

type RulePlace = Pick<UnevaluatedRule, 'guardrail' | 'path'>;

function rulePlace({ guardrail, path }: RulePlace): FilePlace {
  return { file: guardrail.file, ...guardrail.locate(path) };
}

function placeText({ file, line, column }: FilePlace): string {
  return `${file}:${line}:${column}`;
}
