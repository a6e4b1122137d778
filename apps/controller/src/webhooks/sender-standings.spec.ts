import { beforeEach, describe, expect, it } from '@jest/globals';
import { type Sender, SenderStandings } from './sender-standings.ts';

const day = 24 * 3_600_000;
const sender = (address: string, ...hooks: readonly string[]): Sender => ({ address, hooks });

describe('standings of senders', () => {
  let now: number;
  let known: SenderStandings;
  beforeEach(() => {
    now = 0;
    known = new SenderStandings(() => now);
  });
  const fail = (address: string, times: number) => {
    for (let time = 0; time < times; time += 1) known.recordFailed(sender(address));
  };

  it('are failing after ten failures, until a minute without one', () => {
    fail('a', 9);
    expect(known.standingOf(sender('a'))).toBe('Unknown');
    fail('a', 1);
    now += 59_999;
    expect(known.standingOf(sender('a'))).toBe('Failing');
    now += 1;
    expect(known.standingOf(sender('a'))).toBe('Unknown');
  });

  it('know an address that verified for a day, and are unknown at worst where others fail from it', () => {
    known.recordVerified(sender('a'));
    expect(known.standingOf(sender('a'))).toBe('KnownAddress');
    fail('a', 100);
    expect(known.standingOf(sender('a'))).toBe('Unknown');
    now += 60_000;
    expect(known.standingOf(sender('a'))).toBe('KnownAddress');
    now += day;
    expect(known.standingOf(sender('a'))).toBe('Unknown');
  });

  it('know a hook that verified, from wherever it comes and whatever fails there', () => {
    known.recordVerified(sender('proxy', 'policies 12'));
    fail('proxy', 100);
    expect(known.standingOf(sender('proxy', 'policies 12'))).toBe('KnownHook');
    expect(known.standingOf(sender('elsewhere', 'policies 12'))).toBe('KnownHook');
    expect(known.standingOf(sender('proxy', 'policies 13'))).toBe('Unknown');
    now += day;
    expect(known.standingOf(sender('proxy', 'policies 12'))).toBe('Unknown');
  });

  it('forget the oldest beyond their bound, and nothing that verified for failures', () => {
    known.recordVerified(sender('forge', 'policies 12'));
    fail('first', 10);
    for (let count = 0; count < 10_000; count += 1) fail(`stranger ${count}`, 1);
    fail('last', 10);
    expect(known.standingOf(sender('first'))).toBe('Unknown');
    expect(known.standingOf(sender('last'))).toBe('Failing');
    expect(known.standingOf(sender('forge'))).toBe('KnownAddress');
    expect(known.standingOf(sender('x', 'policies 12'))).toBe('KnownHook');
  });
});
