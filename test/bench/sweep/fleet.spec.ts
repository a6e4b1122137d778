import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import type { JsonObject } from '#kernel';
import { readPolicy } from '#policy';
import { halves, policyText } from './fleet.ts';

describe("the fleet of the sweep's bench", () => {
  it.each(halves)('has policies that can all come into force where half of them are of %s', (half) => {
    const readings = [0, 1].map((index) => readPolicy(parse(policyText(index, half)) as JsonObject));
    const errors = readings.flatMap(({ problems }) =>
      problems.filter(({ severity }) => severity === 'error'),
    );
    expect(errors).toEqual([]);
    const [plain, differing] = readings.map(({ policy }) => policy);
    expect([plain?.selectionStrategy, plain?.actuation]).toEqual(['LabelSelector', 'Scale']);
    expect([differing?.selectionStrategy, differing?.actuation]).toContain(half);
  });
});
