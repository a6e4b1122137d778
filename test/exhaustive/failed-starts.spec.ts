import { describe, it, jest } from '@jest/globals';
import { expectClosedInReverse, startOrder } from '../integration/application/support/noted-start.ts';

jest.setTimeout(60_000);

describe('a start', () => {
  it.each(startOrder)(
    'that fails at %s closes what was opened, in reverse, and throws',
    expectClosedInReverse,
  );
});
