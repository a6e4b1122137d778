import { describe, expect, it } from '@jest/globals';
import {
  journalHeader,
  journalLine,
  type JournalRecord,
  journalRestart,
  parseJournal,
} from './journal-record.ts';

const id = '0123456789abcdef0123456789abcdef';
const header = journalHeader(id);

function aRecord(number: number): JournalRecord {
  const payload = { text: `größer \u2028 ${number}` };
  return {
    number,
    epoch: '3',
    drafts: [{ stream: 'policy:shop/checkout', kind: 'Decision', time: '2026-11-22T12:00:00Z', payload }],
    states: [],
  };
}

function parse(...parts: readonly (string | Buffer)[]): ReturnType<typeof parseJournal> {
  return parseJournal(Buffer.concat(parts.map((part) => Buffer.from(part))));
}

function numbersOf({ records }: ReturnType<typeof parseJournal>): readonly number[] {
  return records.map(({ record }) => record.number);
}

const lines = [1, 2, 3].map((number) => journalLine(aRecord(number)));
const zeros = Buffer.alloc(1_000);

describe('a journal', () => {
  it('is read as it was written, with the place of each record', () => {
    const content = Buffer.from([header, ...lines].join(''));
    const parsed = parseJournal(Buffer.concat([content, zeros]));
    expect(parsed).toMatchObject({ id, missing: [], end: content.length });
    expect(parsed.records.map(({ record }) => record)).toEqual([1, 2, 3].map(aRecord));
    const texts = parsed.records.map(({ offset, length }) =>
      content.toString('utf8', offset, offset + length),
    );
    expect(texts).toEqual(lines);
  });

  it('ends before a record that is torn, wherever it is', () => {
    const last = Buffer.from(lines[2]!);
    for (let length = 0; length < last.length; length += 1) {
      const parsed = parse(header, lines[0]!, lines[1]!, last.subarray(0, length), zeros);
      expect(numbersOf(parsed)).toEqual([1, 2]);
      expect(parsed.end).toBe(Buffer.byteLength(header + lines[0]! + lines[1]!));
    }
  });

  it('says which records are missing where one in the middle is damaged, in any bit', () => {
    const middle = Buffer.from(lines[1]!);
    for (let bit = 0; bit < (middle.length - 1) * 8; bit += 1) {
      const damaged = Buffer.from(middle);
      damaged.writeUInt8(damaged.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      const parsed = parse(header, lines[0]!, damaged, lines[2]!);
      expect(numbersOf(parsed)).toEqual([1, 3]);
      expect(parsed.missing).toEqual([2]);
    }
  });

  it('does not read what is left behind it of records that were replayed', () => {
    const restart = journalRestart(3, 'a'.repeat(32));
    const written = header + restart + journalLine(aRecord(4));
    const before = Buffer.from([header, ...lines, journalLine(aRecord(3))].join(''));
    const content = Buffer.concat([Buffer.from(written), before.subarray(Buffer.byteLength(written))]);
    const parsed = parseJournal(content);
    expect(numbersOf(parsed)).toEqual([3, 4]);
    expect(parsed.records[0]?.record.drafts).toEqual([]);
    expect(parsed.end).toBe(Buffer.byteLength(written));
  });

  it.each([
    { name: 'nothing', content: '' },
    { name: 'a header that is torn', content: header.slice(0, -2) },
    { name: 'another file', content: 'SQLite format 3\n' },
    { name: 'a record first', content: lines[0]! },
  ])('is none that begins with $name', ({ content }) => {
    expect(parse(content).id).toBeNull();
  });
});
