import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decide } from '../decide.ts';
import { defaultSettings } from '../model/settings.ts';
import { arbitraryInput, type RawInput } from '../testing/arbitrary-input.ts';
import { checkObservation } from './check-observation.ts';
import { isPlainPod, isPlainSample } from './is-plain-pod.ts';
import { parseDecideInput } from './parse-decide-input.ts';

const policy = {
  apiVersion: 'plimsoll.dev/v1alpha1',
  kind: 'AutoscalingPolicy',
  metadata: { name: 'web', namespace: 'shop' },
  spec: {
    scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
    maxReplicas: 9,
    metrics: [
      {
        type: 'Resource',
        resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 60 } },
      },
    ],
  },
};
const observation = { time: '2026-11-20T12:00:00Z', scale: { specReplicas: 3 } };
const expires = '2026-11-20T13:00:00Z';

function inputWith(changes: RawInput): RawInput {
  return { policy, observation, memory: {}, ...changes };
}

function observing(changes: RawInput): RawInput {
  return inputWith({ observation: { ...observation, ...changes } });
}

describe('parseDecideInput', () => {
  it('fills in the shipped settings', () => {
    const parsed = parseDecideInput(
      inputWith({ settings: { tolerance: 0.2, featureGates: { ScaleToZero: false }, unheardOf: 1 } }),
    );
    expect(parsed).toMatchObject({
      ok: true,
      value: {
        settings: {
          ...defaultSettings,
          tolerance: 0.2,
          featureGates: { ...defaultSettings.featureGates, ScaleToZero: false },
        },
      },
    });
  });

  it.each([
    { name: 'a list', given: [], code: 'InvalidJson', path: '' },
    { name: 'null', given: null, code: 'InvalidJson', path: '' },
    { name: 'no policy', given: { observation }, code: 'InvalidPolicy', path: '/policy' },
    {
      name: 'an unknown field of the policy',
      given: inputWith({ policy: { ...policy, spec: { ...policy.spec, maxReplica: 3 } } }),
      code: 'InvalidPolicy',
      path: '/policy/spec/maxReplica',
    },
    {
      name: 'a negative tolerance',
      given: inputWith({ settings: { tolerance: -0.1 } }),
      code: 'InvalidSettings',
      path: '/settings/tolerance',
    },
    {
      name: 'null where only the sample age may be null',
      given: inputWith({ settings: { maximumSampleAgeSeconds: null, tolerance: null } }),
      code: 'InvalidSettings',
      path: '/settings/tolerance',
    },
    {
      name: 'a fraction of seconds',
      given: inputWith({ settings: { downscaleStabilizationSeconds: 1.5 } }),
      code: 'InvalidSettings',
      path: '/settings/downscaleStabilizationSeconds',
    },
    { name: 'no observation', given: { policy }, code: 'InvalidObservation', path: '/observation' },
    {
      name: 'no time',
      given: inputWith({ observation: { scale: { specReplicas: 1 } } }),
      code: 'InvalidObservation',
      path: '/observation/time',
    },
    {
      name: 'a time that is none',
      given: observing({ time: '2026-11-20' }),
      code: 'InvalidObservation',
      path: '/observation/time',
    },
    {
      name: 'no scale',
      given: inputWith({ observation: { time: '2026-11-20T12:00:00Z', scale: null } }),
      code: 'InvalidObservation',
      path: '/observation/scale',
    },
    {
      name: 'a scale without a count',
      given: observing({ scale: {} }),
      code: 'InvalidObservation',
      path: '/observation/scale/specReplicas',
    },
    {
      name: 'a pod twice',
      given: observing({ pods: [{ name: 'a' }, { name: 'b' }, { name: 'a' }] }),
      code: 'InvalidObservation',
      path: '/observation/pods/2/name',
    },
    {
      name: 'a request that is no quantity by type',
      given: observing({ pods: [{ name: 'a', containers: [{ requests: { 'a/b~c': {} } }] }] }),
      code: 'InvalidObservation',
      path: '/observation/pods/0/containers/0/requests/a~1b~0c',
    },
    {
      name: 'a sample twice',
      given: observing({ metrics: [{ pods: [{ pod: 'a' }, { pod: 'a' }] }] }),
      code: 'InvalidObservation',
      path: '/observation/metrics/0/pods/1/pod',
    },
    {
      name: 'more metrics than the policy has',
      given: observing({ metrics: [{}, {}] }),
      code: 'InvalidObservation',
      path: '/observation/metrics/1',
    },
    {
      name: 'an override of nothing',
      given: observing({ interventions: [{ kind: 'Override', expires }] }),
      code: 'InvalidObservation',
      path: '/observation/interventions/0',
    },
    {
      name: 'an override to zero of a policy that never is',
      given: observing({ interventions: [{ kind: 'Override', minReplicas: 0, expires }] }),
      code: 'InvalidObservation',
      path: '/observation/interventions/0/minReplicas',
    },
    {
      name: 'a suspension without direction',
      given: observing({ interventions: [{ kind: 'Suspend', expires }] }),
      code: 'InvalidObservation',
      path: '/observation/interventions/0/direction',
    },
    {
      name: 'an intervention without end',
      given: observing({ interventions: [{ kind: 'Suspend', direction: 'Up' }] }),
      code: 'InvalidObservation',
      path: '/observation/interventions/0/expires',
    },
    {
      name: 'a remembered count below zero',
      given: inputWith({ memory: { recommendations: [{ replicas: -1, time: expires }] } }),
      code: 'InvalidMemory',
      path: '/memory/recommendations/0/replicas',
    },
    {
      name: 'several faults, of which the observation comes first',
      given: { policy, observation: {}, memory: { lastScaleTime: 1 } },
      code: 'InvalidObservation',
      path: '/observation/time',
    },
  ])('names $path for $name', ({ given, code, path }) => {
    const parsed = parseDecideInput(given);
    expect(parsed).toMatchObject({ ok: false, error: { code, path } });
  });

  it.each([
    {
      name: 'null everywhere that may be absent',
      given: observing({ pods: null, owners: null, metrics: null }),
    },
    { name: 'null for a memory', given: inputWith({ memory: null }) },
    { name: 'a metric that is null', given: observing({ metrics: [null] }) },
    { name: 'keys that nobody named', given: observing({ weather: 'fine', pods: [{ name: 'a', node: 7 }] }) },
    {
      name: 'a wrong recommendation without a recommender',
      given: observing({ recommendation: 7, lifecycle: 'x' }),
    },
    {
      name: 'windowSeconds below zero',
      given: observing({ metrics: [{ pods: [{ pod: 'a', windowSeconds: -1 }] }] }),
    },
  ])('accepts $name', ({ given }) => {
    expect(parseDecideInput(given)).toMatchObject({ ok: true });
  });

  it('never throws, whatever is put in the place of whatever', () => {
    const junk = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom(null, -1, 0, 1e21, 0.5, '', 'x', [], {}, [null], { error: 7 }, { error: {} }, true),
    );
    fc.assert(
      fc.property(
        arbitraryInput,
        fc.array(fc.nat(), { minLength: 1, maxLength: 8 }),
        junk,
        (raw, way, value) => {
          const text = JSON.stringify(raw);
          const changed: unknown = JSON.parse(text);
          replaceAt(changed, way, value);
          const parsed = parseDecideInput(changed);
          if (parsed.ok) expect(decide(parsed.value).decision.time).toBe('2026-11-20T12:00:00.000Z');
          else expect(parsed.error.path).toMatch(/^(\/(policy|settings|observation|memory).*)?$/);
        },
      ),
      { numRuns: 1500 },
    );
  });

  it('waves through only pods and samples that the complete check accepts', () => {
    const loose = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom('a', '2026-11-20T12:00:00Z', null, 3, true, [], {}),
    );
    const keys = [
      ...['name', 'uid', 'phase', 'startTime', 'deletionTimestamp', 'ready', 'labels', 'ownerReferences'],
      ...['containers', 'initContainers', 'resources', 'pod', 'timestamp', 'windowSeconds', 'value'],
    ];
    const pod = fc.dictionary(fc.constantFrom(...keys), loose, { maxKeys: 6 });
    const parsedPolicy = parseDecideInput(inputWith({}));
    if (!parsedPolicy.ok) throw new Error('the policy is valid');
    fc.assert(
      fc.property(pod, (given) => {
        const wrong = (changes: RawInput): unknown =>
          checkObservation({ ...observation, ...changes }, parsedPolicy.value.policy);
        if (isPlainPod(given)) expect(wrong({ pods: [{ ...given, resources: {} }] })).toBeNull();
        if (isPlainSample(given)) expect(wrong({ metrics: [{ pods: [given] }] })).toBeNull();
      }),
      { numRuns: 2000 },
    );
  });
});

/** Follows a way of indexes down a JSON value and puts something else at its end. */
function replaceAt(root: unknown, way: readonly number[], value: unknown): void {
  let holder: unknown = root;
  for (const [depth, turn] of way.entries()) {
    if (typeof holder !== 'object' || holder === null) return;
    const keys = Object.keys(holder);
    if (keys.length === 0) return;
    const key = keys[turn % keys.length] ?? '';
    const next: unknown = (holder as Record<string, unknown>)[key];
    const isLast = depth === way.length - 1 || typeof next !== 'object' || next === null;
    if (isLast) {
      (holder as Record<string, unknown>)[key] = value;
      return;
    }
    holder = next;
  }
}
