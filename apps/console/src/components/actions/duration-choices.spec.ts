import { describe, expect, it } from '@jest/globals';
import { chosenDuration, durationChoices } from './duration-choices.ts';

const textsOf = (maximumHours?: number): readonly string[] =>
  durationChoices(maximumHours).map(({ text }) => text);

describe('how long an intervention may be asked for', () => {
  it.each([
    { maximumHours: undefined, want: ['15 minutes', '1 hour', '4 hours', '24 hours'] },
    { maximumHours: 24, want: ['15 minutes', '1 hour', '4 hours', '24 hours'] },
    { maximumHours: 1, want: ['15 minutes', '1 hour'] },
    { maximumHours: 6, want: ['15 minutes', '1 hour', '4 hours', '6 hours'] },
    { maximumHours: 48, want: ['15 minutes', '1 hour', '4 hours', '24 hours', '2 days'] },
    { maximumHours: 168, want: ['15 minutes', '1 hour', '4 hours', '24 hours', '3 days', '7 days'] },
  ])('has the limit itself as its longest: $maximumHours', ({ maximumHours, want }) => {
    expect(textsOf(maximumHours)).toEqual(want);
  });

  it('ends the longest a minute before the limit, and the others to the second', () => {
    expect(durationChoices(4).map(({ seconds }) => seconds)).toEqual([900, 3_600, 14_340]);
  });

  it.each([
    { chosen: undefined, want: '1 hour' },
    { chosen: '15 minutes', want: '15 minutes' },
    { chosen: '24 hours', want: '4 hours' },
  ])(
    'is an hour until it is chosen, and the longest where the choice is gone: $chosen',
    ({ chosen, want }) => {
      expect(chosenDuration(durationChoices(4), chosen)).toMatchObject({ text: want });
    },
  );

  it('is nothing of what has no end', () => {
    expect(chosenDuration([], undefined)).toBeUndefined();
  });
});
