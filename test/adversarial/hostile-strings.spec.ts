import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { AnApplication } from '../integration/application/an-application.ts';
import { bothDatabases } from '../integration/application/support/both-databases.ts';
import {
  carriedOut,
  lostReasons,
  problemsAt,
  stringPlaces,
  whatMayChange,
} from '../integration/application/support/hostile-strings.ts';
import { startUnlimited } from '../integration/application/support/start-unlimited.ts';

jest.setTimeout(60_000);

describe.each(bothDatabases)('a text that nobody means, on $database', ({ makeDatabase }) => {
  let application: AnApplication;
  let stop: () => Promise<void>;
  let before: string;
  beforeAll(async () => {
    ({ application, stop } = await startUnlimited(makeDatabase));
    await carriedOut(application);
    before = await whatMayChange(application);
  });
  afterAll(() => stop());

  it.each(stringPlaces)('for $place is refused with a code, or finds nothing', async (place) => {
    expect(await problemsAt(application, place)).toEqual([]);
  });

  it('changes nothing', async () => {
    expect(await whatMayChange(application)).toBe(before);
  });

  it('is a reason of an action as it stands, or none', async () => {
    expect(await lostReasons(application)).toEqual([]);
  });

  it('puts no error into the log', () => {
    expect(application.log.filter(({ level }) => level >= 50)).toEqual([]);
  });
});
