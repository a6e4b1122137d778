import { describe, expect, it } from '@jest/globals';
import { readPolicyDocument } from '../documents/policy-document.ts';
import { readPolicyFile } from '../documents/policy-file.ts';
import type { EffectivePolicy } from '../model/effective-policy.ts';
import { toNativeDocument } from '../model/native-document.ts';
import { convertFile } from './convert-file.ts';

const hpa = `# the file
apiVersion: autoscaling/v1
kind: HorizontalPodAutoscaler
metadata: {name: a, namespace: b} # who
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: x}
  maxReplicas: 9 # at most
  targetCPUUtilizationPercentage: 70
`;

const watermark = `apiVersion: datadoghq.com/v1alpha1
kind: WatermarkPodAutoscaler
metadata:
  name: w
  namespace: b
  annotations: {wpa.datadoghq.com/lifecycle-control.enabled: "true"}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: w}
  minReplicas: 0
  maxReplicas: 9
  scaleUpLimitFactor: 50 # half
  upscaleForbiddenWindowSeconds: 0
  downscaleForbiddenWindowSeconds: 120
  upscaleDelayAboveWatermarkSeconds: 30
  algorithm: average
  tolerance: "0.05"
  replicaScalingAbsoluteModulo: 2
  convergeTowardsWatermark: highwatermark
  minAvailableReplicaPercentage: 20
  metrics:
    - {type: External, external: {metricName: q, metricSelector: {matchLabels: {a: b}}, highWatermark: "20", lowWatermark: 10}}
    - {type: Resource, resource: {name: cpu, metricSelector: {}, highWatermark: 500m}}
`;

describe('converting files', () => {
  it('changes nothing of a v2beta2 document but its version', () => {
    const beta = (version: string): string =>
      `apiVersion: ${version}  # beta\nkind: HorizontalPodAutoscaler\nmetadata:\n    name: a\n    namespace: b\n\nspec:\n    scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: x}   # what\n    maxReplicas: 9\n    metrics:\n      - type: Resource\n        resource: { name: cpu, target: {type: Utilization, averageUtilization: 80} }\n\n`;
    const other = 'kind: ConfigMap\nx:   1\n---\n';
    const { text, converted, diagnostics } = convertFile({
      file: 'f.yaml',
      bytes: new TextEncoder().encode(
        `${other}${beta("'autoscaling/v2beta2'")}---\n${beta('autoscaling/v2beta2')}`,
      ),
      to: 'autoscaling/v2',
    });
    expect([converted, diagnostics.filter(({ severity }) => severity === 'error')]).toEqual([2, []]);
    expect(text).toBe(`${other}${beta('autoscaling/v2')}---\n${beta('autoscaling/v2')}`);
  });

  it('changes only the lines of what changes', () => {
    const beta1 = `# the team's autoscaler
apiVersion: "autoscaling/v2beta1"  # old
kind:   HorizontalPodAutoscaler
metadata:
    name: a

    # exported
    resourceVersion: "12"
    namespace: b
spec:
    scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: x}   # what
    # at least
    minReplicas:   2
    maxReplicas: 9

    metrics:
    # cpu first
    - type: Resource
      resource:
        # of requests
        targetAverageUtilization: 60  # percent
        name:   cpu
    # then the queue
    - type: External
      external: {metricName: q,   metricSelector: {matchLabels: {a: b}}, targetValue: 30}
    # - type: Pods

status:
  currentReplicas: 1
# the end`;
    const { text, notes } = convert(beta1, 'autoscaling/v2');
    expect(notes).toEqual([]);
    expect(text).toBe(
      beta1
        .replace('"autoscaling/v2beta1"', 'autoscaling/v2')
        .replace('    # exported\n    resourceVersion: "12"\n', '')
        .replace(
          `        # of requests
        targetAverageUtilization: 60  # percent
        name:   cpu
`,
          `        name:   cpu
        target:
            type: Utilization
            # of requests
            averageUtilization: 60 # percent
`,
        )
        .replace(
          '{metricName: q,   metricSelector: {matchLabels: {a: b}}, targetValue: 30}',
          '{metric: {name: q, selector: {matchLabels: {a: b}}}, target: {type: Value, value: "30"}}',
        )
        .replace('status:\n  currentReplicas: 1\n', ''),
    );
  });

  it('keeps the paragraphs of a WatermarkPodAutoscaler, and takes the comments of what moves along', () => {
    const { text } = convert(
      watermark
        .replace('  minReplicas: 0\n', '\n  # Bounds.\n\n  minReplicas: 2   # two\n')
        .replace('  scaleUpLimitFactor', '\n  # No faster\n  # than half.\n  scaleUpLimitFactor')
        .replace('  metrics:', '\n  metrics: # those'),
    );
    expect(text).toContain('OwnerReference\n\n  # Bounds.\n\n  minReplicas: 2   # two\n  maxReplicas: 9\n\n');
    expect(text).toMatch(/ {4}scaleUp:\n {6}# No faster\n {6}# than half\.\n {6}limitPercent: 50 # half\n/);
    expect(text).toContain('\n  metrics: # those\n');
    expect(text.match(/No faster/g)).toHaveLength(1);
  });

  it('writes JSON as JSON', () => {
    const json = JSON.stringify({
      apiVersion: 'autoscaling/v1',
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: 'a', namespace: 'b', uid: 'u' },
      spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'x' }, maxReplicas: 3 },
      status: { currentReplicas: 1 },
    });
    expect(JSON.parse(convert(json).text)).toMatchObject({
      apiVersion: 'plimsoll.dev/v1alpha1',
      kind: 'AutoscalingPolicy',
      metadata: { name: 'a', namespace: 'b' },
      spec: { actuation: 'HorizontalPodAutoscaler', maxReplicas: 3 },
    });
    const indented = JSON.stringify(JSON.parse(json), null, 2);
    expect(convert(indented).text).toBe(
      indented
        .replace('autoscaling/v1', 'plimsoll.dev/v1alpha1')
        .replace('HorizontalPodAutoscaler', 'AutoscalingPolicy')
        .replace(/,\s+"uid": "u"/, '')
        .replace(/,\s+"status": \{[^}]*\}/, '')
        .replace(/(\s+)"maxReplicas"/, '$1"actuation": "HorizontalPodAutoscaler",$1"maxReplicas"'),
    );
  });

  describe('with anchors', () => {
    const list = (labels: string, metric: string): string => `apiVersion: v1
kind: List
items:
- apiVersion: autoscaling/v2beta1
  kind: HorizontalPodAutoscaler # of old
  metadata: {name: a, namespace: b, labels: ${labels}}
  spec:
    scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: x}
    maxReplicas: 3 # at most
    metrics: [${metric}{type: Resource, resource: {name: cpu, targetAverageUtilization: 3}}]
- apiVersion: apps/v1
  kind: Deployment
  metadata: {name: x, namespace: b, labels: *l}
`;

    it('leaves those alone that no change touches', () => {
      const { text, notes } = convert(list('&l {app: x}', ''), 'autoscaling/v2');
      expect(notes).toEqual([]);
      expect(text).toBe(
        list('&l {app: x}', '')
          .replace('v2beta1', 'v2')
          .replace('targetAverageUtilization: 3', 'target: {type: Utilization, averageUtilization: 3}'),
      );
    });

    it('writes out what is changed, and refuses where something else stands for it', () => {
      const own = convert(list('{app: x}', '&m ').replace('*l', '{}'), 'autoscaling/v2');
      expect(own.notes).toEqual(['comments are lost: the document has anchors, aliases or merge keys']);
      expect(own.text).toContain('averageUtilization: 3');
      const given = list('{app: x}', '&l ');
      expect(convert(given, 'autoscaling/v2')).toEqual({
        text: given,
        converted: 0,
        diagnostics: [
          expect.objectContaining({
            code: 'NotConvertible',
            line: 4,
            message: expect.stringContaining('&l'),
          }),
        ],
        notes: [expect.stringContaining('an alias elsewhere stands for its anchor &l')],
      });
    });
  });

  it('says what autoscaling/v2 has no place for in a WatermarkPodAutoscaler', () => {
    const { text, converted, diagnostics } = convertFile({
      file: 'f.yaml',
      bytes: new TextEncoder().encode(watermark),
      to: 'autoscaling/v2',
    });
    expect([text, converted]).toEqual([watermark, 0]);
    expect(diagnostics).toEqual([
      expect.objectContaining({
        severity: 'error',
        code: 'NotConvertible',
        line: 2,
        message: expect.stringContaining(
          'which has no place for scaleUpLimitFactor, upscaleForbiddenWindowSeconds',
        ),
        hint: 'convert it with --to AutoscalingPolicy',
      }),
    ]);
  });

  it('keeps a WatermarkPodAutoscaler as it decides', () => {
    const { text, converted, notes } = convert(watermark);
    expect(converted).toBe(1);
    expect(text).toContain('limitPercent: 50 # half');
    expect(notes).toEqual([]);
    expect(nativeSpec(text)).toEqual(nativeSpec(watermark));
  });

  it("takes the comments of what metrics share to the first one's target, and labels that are null out", () => {
    const { text, notes } = convert(
      watermark
        .replace('  algorithm: average\n', '  # usage of one\n  algorithm: average # pod\n')
        .replace('tolerance: "0.05"', 'tolerance: "0.1" # as ever')
        .replace('{a: b}', '{a: b, c: null, d: ""}'),
    );
    expect(notes).toEqual([]);
    expect(text).toMatch(/# usage of one\s+algorithm: average,? # pod\s+tolerance: "0.1" # as ever/);
    expect(text).toContain('{a: b, d: ""}');
    expect(text.match(/tolerance/g)).toHaveLength(1);
  });

  it('keeps an older HorizontalPodAutoscaler as it decides, and its comments', () => {
    const { text } = convert(hpa, 'autoscaling/v2');
    expect(text).toMatch(/^# the file\n/);
    expect(text).toContain('maxReplicas: 9 # at most');
    expect(text).toContain('apiVersion: autoscaling/v2\n');
    expect(nativeSpec(text)).toEqual(nativeSpec(hpa));
  });

  it('says what an AutoscalingPolicy without behavior changes', () => {
    expect(convert(hpa).notes).toEqual([expect.stringContaining('stabilizationWindowSeconds 300')]);
  });

  it('leaves other documents and invalid files as they are', () => {
    const other = 'kind: Deployment # stays\n';
    expect(convert(other)).toMatchObject({ text: other, converted: 0 });
    const invalid = hpa.replace('9', '0');
    const result = convertFile({ file: 'f', bytes: new TextEncoder().encode(invalid), to: 'autoscaling/v2' });
    expect(result).toMatchObject({
      text: invalid,
      converted: 0,
      diagnostics: [{ code: 'OutOfRange', line: 7 }],
    });
  });

  it.each(['AutoscalingPolicy', 'autoscaling/v2'] as const)(
    'refuses a file with an AutoscalingPolicy that is invalid, whatever else is in it (--to %s)',
    (to) => {
      const policy = (metadata: string, rest: string): string =>
        `apiVersion: plimsoll.dev/v1alpha1\nkind: AutoscalingPolicy\nmetadata: {${metadata}}\nspec:\n  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: x}\n${rest}`;
      const codesOf = (text: string) => {
        const { diagnostics, ...rest } = convertFile({
          file: 'f',
          bytes: new TextEncoder().encode(text),
          to,
        });
        return { ...rest, errors: diagnostics.map(({ code, line, path }) => [code, line, path.join('.')]) };
      };
      const invalid = policy('nam: a', '  minReplicas: "4"\n  interval: 5 minutes\n');
      const text = `${hpa}---\n${invalid}`;
      const errors = [
        ['Required', 12, 'metadata.name'],
        ['UnknownField', 12, 'metadata.nam'],
        ['InvalidType', 15, 'spec.minReplicas'],
        ['InvalidValue', 16, 'spec.interval'],
      ];
      expect(codesOf(text)).toEqual({ text, converted: 0, errors });
      // What it leaves out, a PolicyDefaults may fill in, but for its target.
      const filled = policy('name: a', '  minReplicas: 2\n');
      expect(codesOf(filled)).toEqual({ text: filled, converted: 0, errors: [] });
      const untargeted = filled.replace(/ {2}scaleTargetRef.*\n/, '');
      expect(codesOf(untargeted).errors).toEqual([['Required', 4, 'spec.scaleTargetRef']]);
      const cpu =
        '{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 9}}}';
      const idle = policy('name: a', `  minReplicas: 0\n  metrics: [${cpu}]\n`);
      expect(codesOf(idle).errors).toEqual([['Required', 7, 'spec.metrics']]);
    },
  );

  it('prints the v2 form of a version that is gone', () => {
    const old =
      'apiVersion: extensions/v1beta1\nkind: HorizontalPodAutoscaler\nmetadata: {name: a}\nspec: {scaleRef: {kind: Deployment, name: x}, maxReplicas: 3, cpuUtilization: {targetPercentage: 60}}\n';
    const { documents } = readPolicyFile({ file: 'f', bytes: new TextEncoder().encode(old) });
    const hint = documents[0]?.diagnostics[0]?.hint ?? '';
    const v2 = hint.replace(/^write:\n/, '').replace('name: a', 'name: a\n  namespace: b');
    expect(nativeSpec(v2)).toMatchObject({
      maxReplicas: 3,
      metrics: [{ resource: { target: { averageUtilization: 60 } } }],
    });
  });
});

function convert(
  text: string,
  to: 'AutoscalingPolicy' | 'autoscaling/v2' = 'AutoscalingPolicy',
): {
  text: string;
  converted: number;
  notes: readonly string[];
} {
  const result = convertFile({ file: 'f.yaml', bytes: new TextEncoder().encode(text), to });
  return { ...result, notes: result.diagnostics.map(({ message }) => message) };
}

/** What the one policy of a text comes to. */
function nativeSpec(text: string): unknown {
  const { documents } = readPolicyFile({ file: 'f.yaml', bytes: new TextEncoder().encode(text) });
  const policies = documents
    .map((each) => readPolicyDocument(each).policy)
    .filter((each): each is EffectivePolicy => each !== undefined);
  expect(policies).toHaveLength(1);
  return policies[0] === undefined ? undefined : toNativeDocument(policies[0])['spec'];
}
