import fc from 'fast-check';
import { arbitraryTime, at } from './arbitrary-times.ts';

/** A pod as the contract has it. */
export interface GeneratedPod {
  readonly name: string;
  readonly [field: string]: unknown;
}

const request = fc.constantFrom('100m', '250m', '1', '0.5', '100100u', '1m', '0');
const memory = fc.constantFrom('100Mi', '1Gi', '128M', '64Mi');
const requests = fc.oneof(
  { weight: 8, arbitrary: fc.record({ cpu: request, memory }) },
  { weight: 1, arbitrary: fc.record({ cpu: request, memory }, { requiredKeys: [] }) },
);
const container = (name: string): fc.Arbitrary<unknown> => fc.record({ name: fc.constant(name), requests });
const ready = fc.oneof(
  { weight: 5, arbitrary: fc.constant({ status: 'True', lastTransitionTime: at(3_000) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      status: fc.constantFrom('True', 'False', 'Unknown'),
      lastTransitionTime: arbitraryTime,
    }),
  },
  { weight: 1, arbitrary: fc.constant(null) },
);
const shape = fc.record(
  {
    phase: fc.oneof(
      { weight: 8, arbitrary: fc.constant('Running') },
      { weight: 3, arbitrary: fc.constantFrom('Pending', 'Failed', 'Succeeded', 'Unknown') },
    ),
    startTime: fc.oneof(
      { weight: 5, arbitrary: fc.constant(at(3_600)) },
      { weight: 4, arbitrary: arbitraryTime },
      { weight: 1, arbitrary: fc.constant(null) },
    ),
    deletionTimestamp: fc.oneof({ weight: 9, arbitrary: fc.constant(null) }, arbitraryTime),
    ready,
    containers: fc.oneof(
      { weight: 4, arbitrary: fc.tuple(container('app')) },
      { weight: 2, arbitrary: fc.tuple(container('app'), container('log')) },
      { weight: 1, arbitrary: fc.constant([]) },
    ),
    initContainers: fc.oneof(
      { weight: 6, arbitrary: fc.constant([]) },
      fc.tuple(container('setup')),
      fc.tuple(fc.record({ name: fc.constant('proxy'), restartPolicy: fc.constant('Always'), requests })),
    ),
    resources: fc.oneof(
      { weight: 8, arbitrary: fc.constant(null) },
      fc.record({ requests: fc.record({ cpu: request, memory }, { requiredKeys: [] }) }),
    ),
  },
  { requiredKeys: ['ready', 'containers'] },
);
const calm = {
  phase: 'Running',
  startTime: at(3_600),
  ready: { status: 'True', lastTransitionTime: at(3_000) },
  containers: [{ name: 'app', requests: { cpu: '100m', memory: '100Mi' } }],
};

/** Matched by every selector that is generated. */
const labels = { app: 'checkout', tier: '5' };

/** Up to nine pods; half of the lists are well in every way, so that the arithmetic is reached. */
export const arbitraryPods: fc.Arbitrary<readonly GeneratedPod[]> = fc
  .oneof(
    fc.array(shape, { maxLength: 9 }),
    fc.array(fc.oneof({ weight: 6, arbitrary: fc.constant(calm) }, shape), { minLength: 1, maxLength: 9 }),
    fc.integer({ min: 1, max: 9 }).map((count) => Array.from({ length: count }, () => calm)),
  )
  .map((pods) => pods.map((pod, index) => ({ ...pod, name: `checkout-${String(index)}`, labels })));
