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

  it('says each other reason of an outage once, five in all, and begins anew with the next outage', () => {
    const said: object[] = [];
    const log = (fields: object, message: string): void => void said.push({ ...fields, message });
    const outages = new OutageLog({ info: () => undefined, warn: log }, { fails: 'fails', works: 'works' });
    for (const reason of ['away', 'away', 'forbidden', 'away', 'c', 'd', 'e', 'f', 'forbidden'])
      outages.noteFailure(new Error(reason));
    outages.noteSuccess();
    outages.noteFailure(new Error('forbidden'));

    const other = { outage: 'fails', message: 'what fails has another reason now' };
    expect(said).toEqual([
      { reason: 'away', message: 'fails' },
      ...['forbidden', 'c', 'd', 'e'].map((reason) => ({ reason, ...other })),
      { reason: 'forbidden', message: 'fails' },
    ]);
  });

  it('does not say the same code again for another thing that was asked for', () => {
    const said: object[] = [];
    const log = (fields: object): void => void said.push(fields);
    const outages = new OutageLog({ info: () => undefined, warn: log }, { fails: 'fails', works: 'works' });
    for (const message of ['shard 0 is away', 'shard 1 is away'])
      outages.noteFailure(new AdapterError({ code: 'ConnectionFailed', message, retryable: true }));
    expect(said).toEqual([{ reason: 'shard 0 is away' }]);
  });
});
