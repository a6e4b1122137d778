import { describe, expect, it } from '@jest/globals';
import { readPolicyDocument } from './policy-document.ts';
import { readPolicyFile } from './policy-file.ts';

/** Every diagnostic as `line:column code message (hint)`. */
function found(text: string): readonly string[] {
  const { documents, diagnostics } = readPolicyFile({
    file: 'a.yaml',
    bytes: new TextEncoder().encode(text),
  });
  return [...diagnostics, ...documents.flatMap((document) => readPolicyDocument(document).diagnostics)].map(
    ({ line, column, code, message, hint }) =>
      `${line}:${column} ${code} ${message}${hint === undefined ? '' : ` (${hint})`}`,
  );
}

const hpa = (metadata: string, spec: string): string => `apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: { name: a, namespace: b${metadata} }
spec: { scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: a }, maxReplicas: 9${spec} }
`;

describe('the length of a query', () => {
  const policy = (query: string): string => `apiVersion: plimsoll.dev/v1alpha1
kind: AutoscalingPolicy
metadata: { name: a, namespace: b }
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: a }
  maxReplicas: 9
  metrics:
    - type: Prometheus
      prometheus: { server: main, query: '${query}', target: { type: Value, value: 1 } }
`;

  it('is counted in characters, whatever UTF-16 takes for each', () => {
    expect(found(policy('😀'.repeat(4_096)))).toEqual([]);
    expect(found(policy('😀'.repeat(4_097)))).toEqual([
      '9:35 TooLarge query must have at most 4096 characters, has 4097',
    ]);
  });
});

describe('a whole number beyond 2⁵³', () => {
  it.each([
    {
      name: 'in a label',
      text: hpa(', labels: { build: 20261122041530123 }', ''),
      want: '3:46 InvalidType build must be a string, is a number: 20261122041530123 (quote it: "20261122041530123")',
    },
    {
      name: 'in an annotation',
      text: hpa(', annotations: { build: 20261122041530123 }', ''),
      want: '3:51 InvalidType build must be a string, is a number: 20261122041530123 (quote it: "20261122041530123")',
    },
    {
      name: 'as a name',
      text: hpa('', '').replace('name: a }', 'name: 20261122041530123 }'),
      want: '4:66 InvalidType name must be a string, is a number: 20261122041530123 (quote it: "20261122041530123")',
    },
    {
      name: 'as a bound',
      text: hpa('', '').replace('9', '20261122041530123'),
      want: '4:77 OutOfRange maxReplicas must be a whole number of 32 bits, is 20261122041530123',
    },
  ])('is the error of its own type: $name', ({ text, want }) => {
    expect(found(text)).toEqual([want]);
    const { documents } = readPolicyFile({ file: 'a.yaml', bytes: new TextEncoder().encode(text) });
    expect(documents.map(({ diagnostics }) => diagnostics.map(({ severity }) => severity))).toEqual([
      ['error'],
    ]);
  });

  it('is exact where a quantity stands', () => {
    const metric =
      ', metrics: [{ type: External, external: { metric: { name: q }, target: { type: Value, value: 20261122041530123 } } }]';
    expect(found(hpa('', metric))).toEqual([]);
  });

  it('fits 64 bits where a custom resource has a quantity', () => {
    const text = (mark: string): string => `apiVersion: datadoghq.com/v1alpha1
kind: WatermarkPodAutoscaler
metadata: { name: a, namespace: b }
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: a }
  maxReplicas: 9
  metrics: [{ type: External, external: { metricName: q, metricSelector: {}, highWatermark: ${mark} } }]
`;
    expect(found(text('9007199254740993'))).toEqual([]);
    expect(found(text('9223372036854775808'))).toEqual([
      expect.stringMatching(/^7:78 InvalidQuantity highWatermark must be a whole number of 64 bits/),
    ]);
  });

  it('is the generation of a live object', () => {
    expect(found(hpa(', generation: 8071137005907523419', ''))).toEqual([
      '3:36 ServerSetField generation is set by the server; here it does nothing (remove it)',
    ]);
    expect(found(hpa(', generation: 9223372036854775807', ''))).toHaveLength(1);
    expect(found(hpa(', generation: 9223372036854775808', ''))[0]).toContain('OutOfRange');
  });
});

describe('what a server sets', () => {
  const text = `${hpa(', uid: u, resourceVersion: "7", creationTimestamp: null, managedFields: []', '')}status: { currentReplicas: 3 }\n`;

  it('is one warning, which names it all', () => {
    expect(found(text)).toEqual([
      '3:36 ServerSetField uid, resourceVersion, managedFields and status are set by the server; here they do nothing (remove them)',
    ]);
  });

  it('is not of the document', () => {
    const { documents } = readPolicyFile({ file: 'a.yaml', bytes: new TextEncoder().encode(text) });
    expect(documents.map(({ value }) => Object.keys(value as object))).toEqual([
      ['apiVersion', 'kind', 'metadata', 'spec'],
    ]);
    expect(documents[0]?.value).toHaveProperty('metadata', { name: 'a', namespace: 'b' });
  });

  it('is checked as the server checks it', () => {
    expect(found(hpa(', uid: 5, creationTimestamp: today', ''))).toEqual([
      '3:36 InvalidType uid must be a string, is a number: 5 (quote it: "5")',
      '3:36 ServerSetField uid and creationTimestamp are set by the server; here they do nothing (remove them)',
      '3:44 InvalidValue creationTimestamp must be a time (RFC 3339), is "today"',
    ]);
  });
});

describe('errors of a policy with marks', () => {
  const policy = (spec: string): string => `apiVersion: plimsoll.dev/v1alpha1
kind: AutoscalingPolicy
metadata: { name: a, namespace: b }
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: a }
  maxReplicas: 9
  replicaStep: 2
  behavior: { scaleUp: { delaySeconds: 30 } }
${spec}
`;
  const external = (target: string, name = 'q'): string =>
    `  metrics: [{ type: External, external: { metric: { name: ${name} }, target: { ${target} } } }]`;

  it.each([
    {
      name: "the metric's name",
      spec: external('type: Watermark, highWatermark: 5', "''"),
      want: ['9:53 Required'],
    },
    {
      name: 'marks that cross',
      spec: external('type: Watermark, lowWatermark: 6, highWatermark: 5'),
      want: ['9:108 OutOfRange'],
    },
    {
      name: 'a misspelt type of the target',
      spec: external('type: Watermak, highWatermark: 5'),
      want: ['9:74 NotSupported'],
    },
    {
      name: 'no type of the target, and marks that cross',
      spec: external('lowWatermark: 6, highWatermark: 5'),
      want: ['9:64 Required', '9:91 OutOfRange'],
    },
    { name: 'metrics that are no list', spec: '  metrics: { type: External }', want: ['9:3 InvalidType'] },
    { name: 'a metric that is no map', spec: '  metrics: [External]', want: ['9:13 InvalidType'] },
    {
      name: 'a metric without its source',
      spec: '  metrics: [{ type: External }]',
      want: ['9:13 Required'],
    },
  ])('are told alone, and not what would do nothing without it: $name', ({ spec, want }) => {
    expect(found(policy(spec)).map((each) => each.split(' ').slice(0, 2).join(' '))).toEqual(want);
  });

  it.each([
    {
      name: 'only that a low mark is not clear',
      marks: 'lowWatermark: 010, highWatermark: 5',
      want: ['9:105 AmbiguousScalar'],
    },
    {
      name: 'a high mark that is no quantity beside it',
      marks: 'lowWatermark: yes, highWatermark: []',
      want: ['9:105 AmbiguousScalar', '9:110 InvalidType'],
    },
  ])('are, of two marks, $name', ({ marks, want }) => {
    const spec = external(`type: Watermark, ${marks}`);
    expect(found(policy(spec)).map((each) => each.split(' ').slice(0, 2).join(' '))).toEqual(want);
  });

  it('are told beside what does nothing where no target can have any', () => {
    const spec = external('type: Value, value: 0');
    expect(found(policy(spec)).map((each) => each.split(' ').slice(0, 2).join(' '))).toEqual([
      '7:3 Forbidden',
      '8:26 Forbidden',
      '9:87 OutOfRange',
    ]);
  });
});

describe('a count of 0', () => {
  const policy = (spec: string): string => `apiVersion: plimsoll.dev/v1alpha1
kind: AutoscalingPolicy
metadata: { name: a, namespace: b }
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: a }
  maxReplicas: 9
${spec}
`;

  it.each([
    {
      name: 'to restore, beside a minimum of a wrong type',
      spec: "  minReplicas: '0'\n  replicas: 0",
      want: ['7:3 InvalidType'],
    },
    {
      name: 'of a schedule, beside metrics that are no list',
      spec: '  metrics: {}\n  schedules: [{ name: s, cron: 0 0 * * *, timeZone: UTC, duration: 1h, minReplicas: 0 }]',
      want: ['7:3 InvalidType'],
    },
    {
      name: 'as a minimum, beside more metrics than are read',
      spec: `  minReplicas: 0\n  metrics: [${'{}, '.repeat(101)}]`,
      want: ['8:3 TooMany'],
    },
  ])('is no error where nothing is known of what it depends on: $name', ({ spec, want }) => {
    expect(found(policy(spec)).map((each) => each.split(' ').slice(0, 2).join(' '))).toEqual(want);
  });
});

describe('a minimum of 0 of autoscaling/v1', () => {
  const annotation = 'autoscaling.alpha.kubernetes.io/metrics';

  it.each([
    { metadata: 'metadata: 5', want: ['3:1 InvalidType'] },
    { metadata: 'metadata: { name: a, namespace: b, annotations: [] }', want: ['3:36 InvalidType'] },
    {
      metadata: `metadata: { name: a, namespace: b, annotations: { ${annotation}: [] } }`,
      want: ['3:51 InvalidType'],
    },
    {
      metadata: `metadata: { name: a, namespace: b, annotations: { ${annotation}: '[' } }`,
      want: ['3:51 InvalidValue'],
    },
    { metadata: 'metadata: { name: a, namespace: b, annotations: { note: a } }', want: ['4:1 Required'] },
    {
      metadata: `metadata: { name: a, namespace: b, annotations: { ${annotation}: null } }`,
      want: ['3:51 InvalidValue'],
    },
  ])('is no error of its own where its metrics cannot be read: $metadata', ({ metadata, want }) => {
    const text = `apiVersion: autoscaling/v1
kind: HorizontalPodAutoscaler
${metadata}
spec: { scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: a }, minReplicas: 0, maxReplicas: 9 }
`;
    expect(
      found(text)
        .filter((each) => !each.includes('DeprecatedVersion'))
        .map((each) => each.split(' ').slice(0, 2).join(' ')),
    ).toEqual(want);
  });
});

describe('a placeholder', () => {
  const policy = (metadata: string, load: string): string => `apiVersion: plimsoll.dev/v1alpha1
kind: AutoscalingPolicy
metadata: { name: a, namespace: b${metadata} }
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: a }
  maxReplicas: 9
${load}
`;
  const owner = (field: string): string =>
    `, ownerReferences: [{ ${['apiVersion', 'kind', 'name', 'uid'].map((each) => `${each}: ${each === field ? "'${X}'" : 'a'}`).join(', ')} }]`;

  it.each([
    ...['apiVersion', 'kind', 'name', 'uid'].map((field) => ({
      name: `${field} of an owner`,
      text: policy(owner(field), ''),
    })),
    ...['cron', 'timeZone'].map((field) => ({
      name: `${field} of a schedule`,
      text: policy(
        '',
        `  schedules: [{ name: s, duration: 1h, minReplicas: 2, ${Object.entries({
          cron: "'0 0 * * *'",
          timeZone: 'UTC',
          [field]: "'${X}'",
        })
          .map(([key, value]) => `${key}: ${value}`)
          .join(', ')} }]`,
      ),
    })),
    {
      name: 'the name of a Prometheus metric',
      text: policy(
        '',
        "  metrics: [{ type: Prometheus, prometheus: { server: a, query: up, name: '${X}', target: { type: Value, value: 1 } } }]",
      ),
    },
    ...['${X}', 'https://${X}/scale'].map((url) => ({
      name: `the URL of a recommender: ${url}`,
      text: policy('', `  recommender: { url: '${url}', lowWatermark: 1, highWatermark: 2 }`),
    })),
  ])('is an error in $name', ({ text }) => {
    expect(found(text)).toEqual([expect.stringMatching(/^\d+:\d+ Placeholder /)]);
  });
});

describe('a field that does not exist', () => {
  it.each([
    {
      name: 'whose name goes on',
      text: `apiVersion: plimsoll.dev/v1alpha1
kind: AutoscalingPolicy
metadata: { name: a, namespace: b }
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: a }
  maxReplicas: 9
  readinessDelay: 5
`,
      want: '7:3 UnknownField "readinessDelay" is not a field of spec (did you mean readinessDelaySeconds?)',
    },
    {
      name: 'of v2beta1',
      text: hpa('', ', metrics: [{ type: Resource, resource: { name: cpu, targetAverageUtilization: 80 } }]'),
      want: "is not a field of resource (this is autoscaling/v2beta1's form: write a target, or apiVersion: autoscaling/v2beta1 (`plimsoll convert` makes v2 of it))",
    },
    {
      name: 'of v1',
      text: hpa('', ', targetCPUUtilizationPercentage: 80'),
      want: "is not a field of spec (this is autoscaling/v1's form",
    },
  ])('says what is meant: $name', ({ text, want }) => {
    expect(found(text)).toContainEqual(expect.stringContaining(want));
  });
});

describe('a kind that is no text', () => {
  const body = 'metadata: { name: a }\nspec: { maxReplicas: 9 }\n';

  it.each([
    { kind: '5', want: '2:1 InvalidType kind must be a string, is a number: 5 (quote it: "5")' },
    { kind: '[HorizontalPodAutoscaler]', want: '2:1 InvalidType kind must be a string, is a list' },
    { kind: '{ a: b }', want: '2:1 InvalidType kind must be a string, is a map' },
    {
      kind: 'no',
      want: '2:7 AmbiguousScalar kubectl and YAML 1.2 read "no" differently (quote it if it is text, or write the number or boolean that is meant)',
    },
  ])('is one error in each of our groups: $kind', ({ kind, want }) => {
    for (const version of ['autoscaling/v2', 'plimsoll.dev/v1alpha1'])
      expect(found(`apiVersion: ${version}\nkind: ${kind}\n${body}`)).toEqual([want]);
  });

  it.each(['5', '[WatermarkPodAutoscaler]', '{ a: b }'])('is an error of datadoghq.com, too: %s', (kind) => {
    expect(found(`apiVersion: datadoghq.com/v1alpha1\nkind: ${kind}\n${body}`)).toEqual([
      expect.stringContaining('2:1 InvalidType kind must be a string'),
    ]);
  });
});

describe('a section that the type of a metric does not name', () => {
  it('is an error where it stands, and where its own shape is wrong', () => {
    const pods = 'pods: { metric: 5, target: { type: X, averageValue: abc }, foo: 1 }';
    const metric = `, metrics: [{ type: Resource, resource: { name: cpu, target: { type: Utilization, averageUtilization: 80 } }, ${pods} }]`;
    expect(found(hpa('', metric)).map((each) => each.split(' ').slice(1, 4).join(' '))).toEqual([
      'Forbidden pods must',
      'InvalidType metric must',
      'UnknownField "foo" is',
    ]);
  });
});

describe('what is valid and hardly meant', () => {
  const native = (spec: string): string => `apiVersion: plimsoll.dev/v1alpha1
kind: AutoscalingPolicy
metadata: { name: a, namespace: b }
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: a }
  minReplicas: 2
  maxReplicas: 5
  ${spec}
`;
  const metric = (name: string, target: string): string =>
    `{ type: Resource, resource: { name: ${name}, target: { ${target} } } }`;
  const twice = metric('cpu', 'type: Utilization, averageUtilization: 60');
  const again = metric('cpu', 'type: Utilization, averageUtilization: 80');
  const duplicate = (column: number, line = 8): string =>
    `${line}:${column} DuplicateMetric this is the metric of metrics[0] once more (leave one of the two out: they read the same values, and are compared with one kind of target)`;
  const olderMetric = (target: number): string =>
    `{ type: Resource, resource: { name: cpu, targetAverageUtilization: ${target} } }`;
  const watermarkMetric = (name: string): string =>
    `{ type: External, external: { metricName: ${name}, metricSelector: {}, highWatermark: 9, lowWatermark: 5 } }`;
  const watermarks = (metrics: string): string => `apiVersion: datadoghq.com/v1alpha1
kind: WatermarkPodAutoscaler
metadata: { name: a, namespace: b }
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: a }
  minReplicas: 2
  maxReplicas: 5
  metrics: [${metrics}]
`;
  const outside = 'it is the count of the disabled policy, for which the bounds do not count';

  it.each([
    {
      name: 'a fixed count above the maximum',
      text: native('replicas: 9'),
      want: [`8:3 CrossingBounds replicas 9 is above maxReplicas (5) (${outside})`],
    },
    {
      name: 'a fixed count below the minimum',
      text: native('replicas: 1'),
      want: [`8:3 CrossingBounds replicas 1 is below minReplicas (2) (${outside})`],
    },
    { name: 'a fixed count at a bound', text: native('replicas: 5'), want: [] },
    {
      name: 'a metric twice',
      text: native(`metrics: [${twice}, ${again}]`),
      want: [expect.stringContaining(duplicate(0).slice(4))],
    },
    {
      name: 'a metric twice in an HPA',
      text: hpa('', `, metrics: [${twice}, ${again}]`),
      want: [expect.stringContaining(duplicate(0).slice(4))],
    },
    {
      name: 'a metric twice in an HPA of v2beta1',
      text: hpa('', `, metrics: [${olderMetric(60)}, ${olderMetric(80)}]`).replace('v2', 'v2beta1'),
      want: [expect.stringContaining('DeprecatedVersion'), expect.stringContaining(duplicate(0).slice(4))],
    },
    {
      name: 'a metric twice in a WatermarkPodAutoscaler',
      text: watermarks(`${watermarkMetric('a')}, ${watermarkMetric('a')}, ${watermarkMetric('b')}`),
      want: [expect.stringContaining(duplicate(0).slice(4))],
    },
    ...[
      { kind: 'AutoscalingPolicy', text: native(`metrics: [${twice.replace('cpu', 'gpu')}]`) },
      { kind: 'HorizontalPodAutoscaler', text: hpa('', `, metrics: [${twice.replace('cpu', 'gpu')}]`) },
      {
        kind: 'WatermarkPodAutoscaler',
        text: watermarks(
          watermarkMetric('gpu').replace('External, external: { metricName', 'Resource, resource: { name'),
        ).replace('maxReplicas: 5', 'maxReplicas: 5\n  algorithm: average'),
      },
    ].map(({ kind, text }) => ({
      name: `a resource that no container can request, of a ${kind}`,
      text,
      want: [
        expect.stringContaining(
          'UnknownResource no container can request the resource "gpu", so that its usage is never read (name cpu or memory',
        ),
      ],
    })),
    {
      name: 'a resource of a device, and huge pages',
      text: native(
        `metrics: [${metric('nvidia.com/gpu', 'type: AverageValue, averageValue: 1')}, ${metric('hugepages-2Mi', 'type: AverageValue, averageValue: 1')}]`,
      ),
      want: [],
    },
    {
      name: 'a target whose kind is mistyped',
      text: native('').replace('kind: Deployment', 'kind: Deploymnt'),
      want: [
        '5:42 UnknownTarget apps/v1 has no kind "Deploymnt" with a count: it has Deployment, StatefulSet, ReplicaSet (did you mean Deployment?)',
      ],
    },
    {
      name: 'a target that has no count, in an HPA',
      text: hpa('', '').replace('kind: Deployment', 'kind: DaemonSet'),
      want: [
        expect.stringMatching(/UnknownTarget apps\/v1 has no kind "DaemonSet" with a count: .*ReplicaSet$/),
      ],
    },
    {
      name: 'a target of a group that is gone',
      text: native('').replace('apps/v1, kind: Deployment', 'extensions/v1beta1, kind: Deployment'),
      want: [
        expect.stringMatching(
          /UnknownTarget no cluster serves extensions\/v1beta1 .*\(write apiVersion: apps\/v1\)$/,
        ),
      ],
    },
    {
      name: 'a target of another group',
      text: native('').replace('apps/v1, kind: Deployment', 'argoproj.io/v1alpha1, kind: Rollout'),
      want: [],
    },
    {
      name: 'a metric with another type of target, and another metric',
      text: native(
        `metrics: [${twice}, ${metric('cpu', 'type: AverageValue, averageValue: 1')}, ${twice.replace('cpu', 'memory')}]`,
      ),
      want: [],
    },
  ])('is a warning: $name', ({ text, want }) => expect(found(text)).toEqual(want));

  it.each([
    {
      name: 'an interval in seconds',
      text: native('interval: 15'),
      want: '8:3 InvalidType interval must be a string, is a number: 15 (write it with its unit, such as 15s)',
    },
    {
      name: 'a freeze that seconds are too short for',
      text: native("freeze: [{ name: f, cron: '0 0 * * *', timeZone: UTC, direction: Up, duration: 8 }]"),
      want: '8:72 InvalidType duration must be a string, is a number: 8 (write it with its unit, such as 8m)',
    },
  ])('is told the unit of $name', ({ text, want }) => expect(found(text)).toEqual([want]));
});
