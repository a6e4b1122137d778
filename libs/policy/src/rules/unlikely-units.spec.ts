import { describe, expect, it } from '@jest/globals';
import { readPolicy } from '../documents/parse-policy.ts';

interface Spec {
  readonly [field: string]: unknown;
}

function warnings(spec: Spec, document: Spec = {}): readonly string[] {
  const { problems } = readPolicy({
    apiVersion: 'plimsoll.dev/v1alpha1',
    kind: 'AutoscalingPolicy',
    metadata: { name: 'a', namespace: 'shop' },
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'a' },
      maxReplicas: 9,
      ...spec,
    },
    ...document,
  });
  return problems.map(
    ({ severity, path, message, hint }) =>
      `${severity} ${path.slice(1).join('.')}: ${message}${hint === undefined ? '' : ` (${hint})`}`,
  );
}

const usage = (name: string, target: Spec): Spec => ({
  metrics: [{ type: 'Resource', resource: { name, target } }],
});
const average = (name: string, averageValue: unknown): Spec =>
  usage(name, { type: 'AverageValue', averageValue });
const marks = (name: string, target: Spec): Spec => usage(name, { type: 'Watermark', ...target });
const averageAt = 'metrics.0.resource.target.averageValue';

describe('an amount in a unit that is hardly meant', () => {
  it.each([
    [
      average('cpu', '500'),
      `warning ${averageAt}: averageValue 500 is read as 500 cores (did you mean 500m?)`,
    ],
    [
      average('cpu', 1250),
      `warning ${averageAt}: averageValue 1250 is read as 1,250 cores (did you mean 1250m?)`,
    ],
    [
      average('memory', '500'),
      `warning ${averageAt}: averageValue 500 is read as 500 bytes (did you mean 500Mi?)`,
    ],
    [
      average('memory', '500m'),
      `warning ${averageAt}: averageValue 500m is read as less than a byte (did you mean 500Mi?)`,
    ],
    [
      marks('cpu', { lowWatermark: '400m', highWatermark: '90' }),
      'warning metrics.0.resource.target.highWatermark: highWatermark 90 is 225 times lowWatermark 400m (did you mean 90m?)',
    ],
    [
      usage('cpu', { type: 'Utilization', averageValue: '60' }),
      'warning metrics.0.resource.target.type: type Utilization goes with averageUtilization; averageValue "60" is read as an amount per pod (write type: AverageValue, or averageUtilization in place of averageValue)',
    ],
    [
      { behavior: { scaleUp: { tolerance: '10' } } },
      'warning behavior.scaleUp.tolerance: tolerance 10 is read as 1000 % (did you mean 0.1?)',
    ],
    [
      { behavior: { scaleUp: { limitPercent: '0.5' } } },
      'warning behavior.scaleUp.limitPercent: limitPercent 0.5 is read as 0.5 % of the replicas (did you mean 50?)',
    ],
    [
      { behavior: { scaleDown: { forbiddenWindowSeconds: 300_000 } } },
      'warning behavior.scaleDown.forbiddenWindowSeconds: forbiddenWindowSeconds 300000 is read as 3.4 days (did you mean 300?)',
    ],
  ] as const)('is warned of, with what it is read as: %j', (spec, want) => {
    expect(warnings(spec)).toEqual([want]);
  });

  it.each([
    average('cpu', '500m'),
    average('cpu', '64'),
    average('memory', '500Mi'),
    average('memory', 1_048_576),
    average('example.com/gpu', '500'),
    marks('cpu', { lowWatermark: '200', highWatermark: '400', algorithm: 'absolute' }),
    marks('cpu', { lowWatermark: '400m', highWatermark: '2', algorithm: 'average' }),
    { behavior: { scaleUp: { tolerance: '0.1', limitPercent: 50 }, scaleDown: { limitPercent: 0 } } },
  ])('is not seen where it may well be meant: %j', (spec) => {
    expect(warnings(spec)).toEqual([]);
  });

  it('is warned of in the older forms, too', () => {
    const metrics = [{ type: 'Resource', resource: { name: 'cpu', targetAverageValue: '500' } }];
    const older = { apiVersion: 'autoscaling/v2beta1', kind: 'HorizontalPodAutoscaler' };
    expect(warnings({ metrics }, older)).toContain(
      'warning metrics.0.resource.targetAverageValue: targetAverageValue 500 is read as 500 cores (did you mean 500m?)',
    );
    const watermark = {
      apiVersion: 'datadoghq.com/v1alpha1',
      kind: 'WatermarkPodAutoscaler',
    };
    const resource = { name: 'cpu', metricSelector: {}, lowWatermark: '300', highWatermark: '400' };
    const spec = { algorithm: 'average', metrics: [{ type: 'Resource', resource }] };
    expect(warnings(spec, watermark)).toEqual([
      'warning metrics.0.resource.lowWatermark: lowWatermark 300 is read as 300 cores (did you mean 300m?)',
      'warning metrics.0.resource.highWatermark: highWatermark 400 is read as 400 cores (did you mean 400m?)',
    ]);
  });
});

describe('a quantity that is none', () => {
  it.each([
    [average('cpu', '60%'), 'a percentage is written type: Utilization with averageUtilization: 60'],
    [average('memory', '512 MB'), 'did you mean 512M?'],
    [average('memory', '1,5GiB'), 'did you mean 1.5Gi?'],
    [average('cpu', '250millicores'), 'did you mean 250m?'],
    [{ behavior: { scaleUp: { tolerance: '10%' } } }, 'it is a fraction: write 0.1'],
    [{ behavior: { scaleUp: { limitPercent: '50%' } } }, 'it is in percent: write 50'],
    [usage('cpu', { type: 'Utilization', averageUtilization: 0.6 }), 'it is in percent: write 60'],
  ] as const)('is refused with what was meant: %j', (spec, hint) => {
    const [error, ...others] = warnings(spec);
    expect(others).toEqual([]);
    expect(error).toContain(`(${hint})`);
  });
});
