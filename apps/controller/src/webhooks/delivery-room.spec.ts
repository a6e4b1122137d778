import { beforeEach, describe, expect, it } from '@jest/globals';
import { DeliveryRoom, type OpenDelivery } from './delivery-room.ts';

const mebibyte = 1024 * 1024;

describe('the room for deliveries', () => {
  let room: DeliveryRoom;
  let ended: string[];
  beforeEach(() => {
    room = new DeliveryRoom();
    ended = [];
  });
  const aDelivery = (name: string, given: Partial<OpenDelivery> = {}): OpenDelivery => ({
    address: 'proxy',
    standing: 'Unknown',
    bytes: 10_000,
    isReading: () => true,
    end: () => void ended.push(name),
    ...given,
  });
  const fill = (count: number, given: (index: number) => Partial<OpenDelivery>) => {
    for (let index = 0; index < count; index += 1) room.admit(aDelivery(String(index), given(index)));
  };

  it('gives an unknown address 64 places, of which the oldest gives way to a newcomer', () => {
    fill(64, () => ({}));
    expect(ended).toEqual([]);
    expect(room.admit(aDelivery('new'))).toBe(true);
    expect(ended).toEqual(['0']);
  });

  it('ends none that has arrived whole, and refuses where none is left to give way', () => {
    fill(64, (index) => ({ isReading: () => index === 3 }));
    expect([room.admit(aDelivery('a', { isReading: () => false })), ended]).toEqual([true, ['3']]);
    expect([room.admit(aDelivery('b')), ended]).toEqual([false, ['3']]);
  });

  it('keeps a quarter for known senders, and lets the address that holds the most give way', () => {
    fill(192, (index) => ({ address: index < 130 ? `many ${index % 3}` : `one ${index}` }));
    expect(room.admit(aDelivery('stranger', { address: 'another' }))).toBe(true);
    expect(ended).toEqual(['0']);
    ended = [];
    fill(64, (index) => ({ address: `forge ${index}`, standing: 'KnownAddress' }));
    expect(ended).toEqual([]);
    room.admit(aDelivery('forge', { address: 'forge', standing: 'KnownAddress' }));
    expect(ended).toEqual(['1']);
  });

  it('lets failing addresses give way first, and known ones to no stranger', () => {
    fill(256, (index) => ({ address: String(index), standing: index === 7 ? 'Failing' : 'KnownHook' }));
    expect(room.admit(aDelivery('stranger'))).toBe(true);
    expect(ended).toEqual(['7']);
    expect(room.admit(aDelivery('failing', { address: 'f', standing: 'Failing' }))).toBe(false);
    expect(room.admit(aDelivery('hook', { address: 'h', standing: 'KnownHook' }))).toBe(true);
  });

  it('bounds the bytes, of which the largest claim gives way first', () => {
    fill(8, (index) => ({ bytes: index === 5 ? 10_000 : 4 * mebibyte }));
    expect(ended).toEqual([]);
    expect(room.admit(aDelivery('next', { bytes: 4 * mebibyte }))).toBe(true);
    expect(ended).toEqual(['0']);
  });

  it('has room again for what is released', () => {
    const first = aDelivery('first');
    room.admit(first);
    fill(63, () => ({}));
    room.release(first);
    room.admit(aDelivery('new'));
    expect(ended).toEqual([]);
  });
});
