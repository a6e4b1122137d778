import { expect, it } from '@jest/globals';
import { conditionMessage, rememberedMessage } from './condition-message.ts';

it.each([
  // After every write above zero, also of a policy whose count was never zero.
  {
    given: { reason: 'NotScaledToZero', message: rememberedMessage },
    want: 'the target was not scaled to zero by its policy',
  },
  {
    given: { reason: 'ScaledToZero', message: rememberedMessage },
    want: 'the target was scaled to zero by its policy',
  },
  { given: { reason: 'ValidMetricFound', message: rememberedMessage }, want: rememberedMessage },
  { given: { reason: 'constructor', message: rememberedMessage }, want: rememberedMessage },
  { given: { reason: 'NotScaledToZero', message: 'its own words' }, want: 'its own words' },
])('$given.reason, $given.message, says: $want', ({ given, want }) => {
  expect(conditionMessage(given)).toBe(want);
});
