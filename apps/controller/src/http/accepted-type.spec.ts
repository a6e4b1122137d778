import type { IncomingMessage } from 'node:http';
import { expect, it } from '@jest/globals';
import { acceptedType } from './accepted-type.ts';

const json = 'application/json';
const lines = 'application/x-ndjson';

it.each<{ readonly accept?: string; readonly want: string }>([
  { want: json },
  { accept: '*/*', want: json },
  { accept: lines, want: lines },
  { accept: 'application/x-ndjson; charset=utf-8', want: lines },
  { accept: 'application/x-ndjson;charset="UTF-8"', want: lines },
  { accept: 'application/json;q=0.5, application/x-ndjson; charset=utf-8; q=0.8', want: lines },
  { accept: 'application/json;charset=utf-8,application/x-ndjson;charset=utf-8;q=0.1', want: json },
])('answers $accept with $want', ({ accept, want }) => {
  expect(acceptedType([json, lines], asking(accept))).toBe(want);
});

it.each(['text/html', 'application/json; charset=utf-16', 'application/json; profile=x'])(
  'refuses %s, which it has not',
  (accept) => {
    expect(() => acceptedType([json, lines], asking(accept))).toThrow(
      'application/json or application/x-ndjson',
    );
  },
);

function asking(accept: string | undefined): IncomingMessage {
  return { headers: accept === undefined ? {} : { accept } } as IncomingMessage;
}
