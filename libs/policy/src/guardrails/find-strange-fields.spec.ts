import { describe, expect, it } from '@jest/globals';
import { readPolicyGuardrail } from './policy-guardrail.ts';

function problemsOf(expression: string): readonly string[] {
  const { problems } = readPolicyGuardrail({
    apiVersion: 'plimsoll.dev/v1alpha1',
    kind: 'PolicyGuardrail',
    metadata: { name: 'g' },
    spec: { rules: [{ name: 'r', message: 'not so', expression }] },
  });
  return problems.map(
    ({ severity, code, message, hint, path }) =>
      `${severity} ${code} ${path.join('.')}: ${message}${hint === undefined ? '' : ` (${hint})`}`,
  );
}

const at = 'spec.rules.0.expression';

describe('the fields that a guardrail asks for', () => {
  it.each([
    {
      name: 'names a field of the policy that is misspelt',
      expression: 'object.spec.maxReplica <= 50',
      want: `error Guardrail ${at}: guardrail g, rule r: no policy has object.spec.maxReplica (did you mean maxReplicas?)`,
    },
    {
      name: 'names one that is misspelt as a key',
      expression: 'object.spec["maxReplica"] <= 50',
      want: `error Guardrail ${at}: guardrail g, rule r: no policy has object.spec["maxReplica"] (did you mean maxReplicas?)`,
    },
    {
      name: 'names one of an item of a list',
      expression: 'object.spec.metrics.all(m, m.resource.target.averageUtilisation < 90)',
      want: `error Guardrail ${at}: guardrail g, rule r: no policy has m.resource.target.averageUtilisation (did you mean averageUtilization?)`,
    },
    {
      name: 'names one of an item by its index, of a list that was filtered',
      expression: 'object.spec.schedules.filter(s, s.minReplicas > 1)[0].max > 1',
      want: `error Guardrail ${at}: guardrail g, rule r: no policy has object.spec.schedules.filter(s, s.minReplicas > 1)[0].max (the fields there are name, cron, timeZone, duration, minReplicas, maxReplicas)`,
    },
    {
      name: 'only warns where the expression asks first whether it is there',
      expression: '!has(object.spec.replica) || object.spec.replica > 1',
      want: `warning Guardrail ${at}: guardrail g, rule r: no policy has object.spec.replica (did you mean replicas?)`,
    },
    {
      name: 'warns of a word that a field never is',
      expression: '"scale" == object.spec.actuation',
      want: `warning Guardrail ${at}: guardrail g, rule r: object.spec.actuation is one of Scale, HorizontalPodAutoscaler, and never "scale" (did you mean Scale?)`,
    },
  ])('$name', ({ expression, want }) => {
    expect(problemsOf(expression)).toEqual([want]);
  });

  it.each([
    'object.spec.maxReplicas <= 50',
    'object.metadata.labels.team != "" && object.metadata.annotations["plimsoll.dev/x"] == "y"',
    'has(object.spec.recommender) && object.spec.recommender.settings.anything == "x"',
    'object.spec.metrics.exists(m, has(m.external) && m.external.metric.selector.matchLabels.queue == "x")',
    '[{"a": 1}].all(object, object.a == 1)',
    'object.spec.actuation != "Scale" || object.spec.behavior.scaleDown.selectPolicy == "Max"',
    'object.spec.scaleTargetRef.kind in ["Deployment", "StatefulSet"]',
    'object.kind == "AutoscalingPolicy"',
  ])('says nothing of %s', (expression) => {
    expect(problemsOf(expression)).toEqual([]);
  });
});
