import { describe, expect, it } from '@jest/globals';
import { AdapterError } from '#kernel';
import { OutageLog } from './outage-log.ts';

const away = new AdapterError({ code: 'ConnectionFailed', message: 'away', retryable: true });
const fenced = new AdapterError({ code: 'Fenced', message: 'not held', retryable: true });

describe('the log of an outage', () => {
  it('says once that something fails and once that it works, and passes over what another process does by now', async () => {
    const said: string[] = [];
    const log = (_fields: object, message: string): void => void said.push(message);
    const outages = new OutageLog({ info: log, warn: log }, { fails: 'fails', works: 'works' });
    for (const failure of [fenced, null, away, fenced, away, null, null]) {
      const work = (): Promise<string> =>
        failure === null ? Promise.resolve('done') : Promise.reject(failure);
      expect(await outages.during(work)).toBe(failure === null ? 'done' : null);
      if (failure === fenced) said.push(outages.failingSince === null ? 'no outage' : 'outage');
    }
    expect(said).toEqual(['no outage', 'fails', 'outage', 'works']);
  });
});
