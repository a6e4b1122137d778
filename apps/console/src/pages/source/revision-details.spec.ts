import { describe, expect, it } from '@jest/globals';
import { readRevisionDetails } from './revision-details.ts';

const diagnostic = {
  severity: 'error',
  code: 'InvalidType',
  message: 'maxReplicas must be a whole number',
  file: 'shop/checkout.yaml',
  line: 12,
  column: 3,
  hint: null,
};

describe('the details of a revision', () => {
  it.each([
    {
      name: 'as the controller records them',
      given: { message: 'Raise checkout', parents: ['a'], diagnostics: [diagnostic], timings: {} },
      want: { message: 'Raise checkout', parents: ['a'], diagnostics: [diagnostic] },
    },
    { name: 'nothing', given: null, want: { message: '', parents: [], diagnostics: [] } },
    {
      name: 'of another form',
      given: { message: 7, parents: 'a', diagnostics: [null] },
      want: {
        message: '',
        parents: [],
        diagnostics: [
          { severity: '', code: '', message: '', file: '', line: Number.NaN, column: Number.NaN, hint: null },
        ],
      },
    },
  ])('$name', ({ given, want }) => {
    expect(readRevisionDetails(given)).toEqual(want);
  });
});
