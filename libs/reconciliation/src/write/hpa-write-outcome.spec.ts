import { expect, it } from '@jest/globals';
import type { ActuationIntentPayload } from '#ledger';
import type { AutoscalerReading, NativeAutoscaler } from '../ports/native-autoscalers.port.ts';
import { aNativeAutoscaler } from '../testing/a-native-autoscaler.ts';
import { hpaWriteOutcomeOf } from './hpa-write-outcome.ts';

const none: AutoscalerReading = { kind: 'NotFound' };
const live = (changes: Partial<NativeAutoscaler>): AutoscalerReading => ({
  kind: 'Found',
  document: {},
  autoscaler: aNativeAutoscaler({
    uid: 'u1',
    resourceVersion: '7',
    digest: 'found',
    isWrittenByPlimsoll: true,
    ...changes,
  }),
});
const others = { isWrittenByPlimsoll: false, policy: null } as const;

it.each([
  { name: 'a creation, and nothing is there', verb: 'Create', reading: none, want: 'Overtaken' },
  { name: 'a creation, and another made one', verb: 'Create', reading: live(others), want: 'Overtaken' },
  {
    name: 'a creation, and it is there',
    verb: 'Create',
    reading: live({ digest: 'wanted' }),
    want: 'Written',
  },
  { name: 'an update of what is gone', verb: 'Update', reading: none, want: 'Overtaken' },
  {
    name: 'an update of what was made anew',
    verb: 'Update',
    reading: live({ uid: 'u2' }),
    want: 'Overtaken',
  },
  { name: 'an update of what is as it was', verb: 'Update', reading: live({}), want: 'NotApplied' },
  {
    name: 'an update of what others changed since',
    verb: 'Update',
    reading: live({ resourceVersion: '9' }),
    want: 'Overtaken',
  },
  {
    name: 'an adoption of what others changed since',
    verb: 'Adopt',
    reading: live({ resourceVersion: '9' }),
    want: 'Overtaken',
  },
  {
    name: 'an update that is there',
    verb: 'Update',
    reading: live({ resourceVersion: '9', digest: 'wanted' }),
    want: 'Written',
  },
  {
    name: 'an update of which admission made something else',
    verb: 'Update',
    reading: live({ resourceVersion: '9', digest: 'made', manager: 'plimsoll' }),
    want: 'Written',
  },
  {
    name: 'an update that others wrote over',
    verb: 'Update',
    reading: live({ resourceVersion: '9', digest: 'made', manager: 'kubectl-edit' }),
    want: 'Overtaken',
  },
  {
    name: 'an update of what says the same as before, of which only the status changed',
    verb: 'Update',
    reading: live({ resourceVersion: '9', manager: 'plimsoll' }),
    want: 'Overtaken',
  },
  { name: 'a deletion of what is there', verb: 'Delete', reading: live({}), want: 'NotApplied' },
  { name: 'a deletion of what is gone', verb: 'Delete', reading: none, want: 'Written' },
  {
    name: 'a write of what cannot be read',
    verb: 'Update',
    reading: { kind: 'Failed', message: 'no answer' } as AutoscalerReading,
    want: 'Unknown',
  },
] as const)('takes $name for $want', ({ verb, reading, want }) => {
  const intent = {
    verb,
    policy: { namespace: 'shop', name: 'checkout' },
    uid: verb === 'Create' ? null : 'u1',
    resourceVersion: verb === 'Create' ? null : '7',
    specDigest: verb === 'Delete' ? null : 'wanted',
  } as unknown as ActuationIntentPayload;
  const outcome = hpaWriteOutcomeOf(intent, reading, 'found');
  expect(outcome.kind === 'Failed' ? outcome.failure.code : outcome.kind).toBe(want);
});
