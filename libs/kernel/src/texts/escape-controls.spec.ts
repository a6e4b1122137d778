import { describe, expect, it } from '@jest/globals';
import { escapeControls } from './escape-controls.ts';

describe('escapeControls', () => {
  it.each([
    {
      name: 'what a terminal obeys',
      given: 'a\u001b[2J\u0007\u009b\u007f',
      want: 'a\\u001b[2J\\u0007\\u009b\\u007f',
    },
    { name: 'ends of lines', given: 'a\r\nb\u2028\u2029', want: 'a\\u000d\\u000ab\\u2028\\u2029' },
    {
      name: 'what is not seen',
      given: 'shop\u200b/\u2060che\u00adck\ufeffout\u{e0041}',
      want: 'shop\\u200b/\\u2060che\\u00adck\\ufeffout\\udb40\\udc41',
    },
    {
      name: 'joiners and forms where they do nothing',
      given: 'che\u200dck\u200cout\ufe0f\u{e0101}',
      want: 'che\\u200dck\\u200cout\\ufe0f\\udb40\\udd01',
    },
    {
      name: 'none of those in text that has them',
      given: 'می\u200cخواهم क्\u200dष 👩🏽\u200d🚀 ❤\ufe0f\u200d🔥',
      want: 'می\u200cخواهم क्\u200dष 👩🏽\u200d🚀 ❤\ufe0f\u200d🔥',
    },
    {
      name: 'no other letter, nor one of a language that is written from right to left',
      given: 'Größe שלום 🚀',
      want: 'Größe שלום 🚀',
    },
  ])('escapes $name', ({ given, want }) => {
    expect(escapeControls(given)).toBe(want);
  });

  it.each([
    ...['061c', '200e', '200f'],
    ...['202a', '202b', '202c', '202d', '202e'],
    ...['2066', '2067', '2068', '2069'],
  ])('escapes U+%s, which reorders text', (code) => {
    expect(escapeControls(`x${String.fromCharCode(Number.parseInt(code, 16))}y`)).toBe(`x\\u${code}y`);
  });
});
