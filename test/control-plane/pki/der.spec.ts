import { describe, expect, it } from '@jest/globals';
import { bitString, objectIdentifier, octetString, sequence, unsignedInteger, utcTime } from './der.ts';

describe('DER', () => {
  it.each([
    { name: 'a short object identifier', given: objectIdentifier('2.5.4.3'), want: '0603550403' },
    { name: 'arcs above 127', given: objectIdentifier('1.2.840.10045.4.3.2'), want: '06082a8648ce3d040302' },
    { name: 'zero', given: unsignedInteger(Buffer.from([0, 0])), want: '020100' },
    {
      name: 'an integer without leading zeroes',
      given: unsignedInteger(Buffer.from([0, 5])),
      want: '020105',
    },
    {
      name: 'an integer that would look negative',
      given: unsignedInteger(Buffer.from([0x80])),
      want: '02020080',
    },
    { name: 'unused bits', given: bitString(Buffer.from([0b1000_0000]), 7), want: '03020780' },
    {
      name: 'a time to the second',
      given: utcTime(new Date('2026-01-02T03:04:05.999Z')),
      want: hex(0x17, '260102030405Z'),
    },
    { name: 'an empty sequence', given: sequence(), want: '3000' },
    { name: 'the longest short length', given: octetString(Buffer.alloc(127)).subarray(0, 2), want: '047f' },
    { name: 'a length of one byte', given: octetString(Buffer.alloc(128)).subarray(0, 3), want: '048180' },
    { name: 'a length of two bytes', given: octetString(Buffer.alloc(256)).subarray(0, 4), want: '04820100' },
  ])('encodes $name', ({ given, want }) => {
    expect(given.toString('hex')).toBe(want);
  });
});

function hex(tag: number, text: string): string {
  return Buffer.concat([Buffer.from([tag, text.length]), Buffer.from(text)]).toString('hex');
}
