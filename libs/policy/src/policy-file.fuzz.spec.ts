import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readPolicyDocument, readPolicyFile } from './policy-file.ts';

/** Some thousands by default; PLIMSOLL_FUZZ_RUNS=1000000 is the long run. */
const runs = Number(process.env['PLIMSOLL_FUZZ_RUNS'] ?? '3000');

const seeds = [
  `apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: &m {name: a, namespace: b, labels: {app: "web"}}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: x}
  maxReplicas: 9
  metrics:
    - type: Resource
      resource: {name: cpu, target: &t {type: Utilization, averageUtilization: 60}}
  behavior: {scaleUp: {policies: [{type: Pods, value: 4, periodSeconds: 15}]}}
`,
  `apiVersion: plimsoll.dev/v1alpha1
kind: AutoscalingPolicy
metadata:
  name: a
  namespace: b
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: x}
  maxReplicas: 9
  schedules: [{name: n, cron: "0 17 * * *", timeZone: UTC, duration: 5h, minReplicas: 3}]
  metrics:
    - type: External
      external: {metric: {name: q}, target: {type: Watermark, highWatermark: 400m}}
---
apiVersion: v1
kind: List
items:
  - apiVersion: datadoghq.com/v1alpha1
    kind: WatermarkPodAutoscaler
    metadata: {name: w}
    spec: {maxReplicas: 3, metrics: [{type: External, external: {metricName: q, metricSelector: {}, highWatermark: "3"}}]}
`,
  `apiVersion: autoscaling/v1
kind: HorizontalPodAutoscaler
metadata:
  name: a
  annotations:
    autoscaling.alpha.kubernetes.io/metrics: '[{"type":"Pods","pods":{"metricName":"q","targetAverageValue":"5"}}]'
spec: {maxReplicas: 3, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: x}}
`,
];

const fragments = [
  '\t',
  '\n',
  '  ',
  ' ',
  '- ',
  ': ',
  ':',
  '#',
  ' #',
  '"',
  "'",
  '{',
  '}',
  '[',
  ']',
  ',',
  '&a ',
  '*a',
  '*t',
  '!!str ',
  '|',
  '>',
  '%',
  '@',
  '`',
  '?',
  '---\n',
  '...\n',
  '\r',
  '\r\n',
  '\u0085',
  '\ufeff',
  '\0',
  '😀',
  '<<: *t\n',
  '<<: {a: b}\n',
  'null: x\n',
  'yes',
  '010',
  '1e400',
  '-0x1F',
  '${X}',
  '{{ .x }}',
  '__proto__: x\n',
  'constructor: 1\n',
  '9'.repeat(400),
  '['.repeat(50),
  'null',
  '[]',
  '{}',
  '-1',
  '!!binary x',
  '\\',
];

type Edit =
  { readonly insert: string; readonly at: number } | { readonly remove: number; readonly at: number };

const edit: fc.Arbitrary<Edit> = fc.oneof(
  fc.record({ insert: fc.constantFrom(...fragments), at: fc.nat() }),
  fc.record({ remove: fc.integer({ min: 1, max: 30 }), at: fc.nat() }),
);

function mutated(seed: string, edits: readonly Edit[]): string {
  let text = seed;
  for (const each of edits) {
    const at = each.at % (text.length + 1);
    text =
      text.slice(0, at) + ('insert' in each ? each.insert + text.slice(at) : text.slice(at + each.remove));
  }
  return text;
}

function check(bytes: Uint8Array): void {
  const file = readPolicyFile({ file: 'f.yaml', bytes, isInForce: true });
  const found = file.documents.flatMap((document) => {
    if (document.is.is !== 'policy') return document.diagnostics;
    const { policy, diagnostics } = readPolicyDocument(document);
    const hasError = diagnostics.some(({ severity }) => severity === 'error');
    if (!document.isBroken) expect(policy === undefined).toBe(hasError);
    return diagnostics;
  });
  const lines = new TextDecoder().decode(bytes).split('\n');
  for (const { line, column } of [...file.diagnostics, ...found]) {
    expect(line).toBeGreaterThanOrEqual(1);
    expect(line).toBeLessThanOrEqual(lines.length);
    expect(column).toBeGreaterThanOrEqual(1);
    expect(column).toBeLessThanOrEqual((lines[line - 1]?.length ?? 0) + 1);
  }
}

describe('reading any bytes', () => {
  it('throws nothing, and stays inside the file, on mutated policies', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...seeds),
        fc.array(edit, { minLength: 1, maxLength: 6 }),
        (seed, edits) => {
          check(new TextEncoder().encode(mutated(seed, edits)));
        },
      ),
      { numRuns: runs },
    );
  }, 3_600_000);

  it('throws nothing on bytes that are no text', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => check(bytes)),
      { numRuns: Math.ceil(runs / 3) },
    );
  }, 3_600_000);
});
