import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  decodeSeriesChunk,
  encodeSeriesChunk,
  joinSeriesChunks,
  type SeriesChunk,
  seriesColumns,
  type SeriesLayout,
  seriesWidth,
  sliceSeriesChunk,
} from './series-chunk.ts';

const value = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: -1_000, max: 1_000_000 }) },
  fc.maxSafeInteger(),
  fc.double(),
  fc.constant(Number.NaN),
  fc.integer({ min: 0, max: 1_000 }).map((pages) => pages * 4_096_000),
);
const layouts = fc.record({
  metrics: fc.array(
    fc.record({
      type: fc.constantFrom('Resource', 'Pods', 'External'),
      name: fc.string(),
      containers: fc.array(fc.string(), { maxLength: 3 }),
    }),
    { maxLength: 3 },
  ),
});
const chunkOf = (layout: SeriesLayout): fc.Arbitrary<SeriesChunk> =>
  fc.integer({ min: 0, max: 40 }).chain((rows) =>
    fc
      .array(
        fc.oneof(
          fc.array(value, { minLength: rows, maxLength: rows }),
          value.map((each) => new Array<number>(rows).fill(each)),
        ),
        { minLength: seriesWidth(layout), maxLength: seriesWidth(layout) },
      )
      .map((columns) => ({ layout, rows, columns: columns.map((column) => new Float64Array(column)) })),
  );
const chunks = layouts.chain(chunkOf);

/** −0 is written as 0. */
const plain = ({ layout, rows, columns }: SeriesChunk) => ({
  layout,
  rows,
  columns: columns.map((column) => [...column].map((each) => each + 0)),
});

describe('a chunk of a series', () => {
  it('is the same again, whatever its values are', () => {
    fc.assert(
      fc.property(chunks, (chunk) => {
        expect(plain(decodeSeriesChunk(encodeSeriesChunk(chunk)))).toEqual(plain(chunk));
      }),
      { numRuns: 1_000 },
    );
  });

  it('has as many columns as names', () => {
    fc.assert(fc.property(layouts, (layout) => seriesColumns(layout).length === seriesWidth(layout)));
  });

  it('is whole where it was cut into parts', () => {
    const parts = layouts.chain((layout) => fc.array(chunkOf(layout), { minLength: 1, maxLength: 4 }));
    fc.assert(
      fc.property(parts, (each) => {
        const joined = joinSeriesChunks(each);
        const rows = each.reduce((sum, part) => sum + part.rows, 0);
        expect([joined.rows, joined.columns.map(({ length }) => length)]).toEqual([
          rows,
          joined.columns.map(() => rows),
        ]);
        const columns = joined.columns.map((_, index) => each.flatMap((part) => [...part.columns[index]!]));
        expect(joined.columns.map((column) => [...column])).toEqual(columns);
      }),
    );
  });

  it.each([
    { name: 'some of its rows', from: 2, until: 4, want: [2, 3] },
    { name: 'all of its rows', from: 0, until: 9, want: [1, 2, 3, 4] },
    { name: 'none', from: 5, until: 9, want: [] },
  ])('gives $name for a period', ({ from, until, want }) => {
    const columns = [new Float64Array([1, 2, 3, 4]), new Float64Array(4), new Float64Array(4)];
    const { rows, columns: sliced } = sliceSeriesChunk(
      { layout: { metrics: [] }, rows: 4, columns },
      { from, until },
    );
    expect([rows, [...sliced[0]!]]).toEqual([want.length, want]);
  });

  it('takes a byte or two for each value that changes a little, and almost nothing for one that stays', () => {
    const rows = 240;
    const column = (of: (row: number) => number) => Float64Array.from({ length: rows }, (_, row) => of(row));
    const noise = (row: number) => (row * 7_919) % 61;
    const chunk = {
      layout: { metrics: [] },
      rows,
      columns: [
        column((row) => 1_795_264_749_000 + row * 15_000 + (noise(row) % 7)),
        column(() => 4),
        column((row) => (200 + noise(row)) * 4_096_000),
      ],
    };
    expect(encodeSeriesChunk(chunk).length).toBeLessThan(rows * 2.5 + 50);
  });

  it.each([
    { name: 'nothing', bytes: [] },
    { name: 'another version', bytes: [2, 0, 0] },
    { name: 'more rows than there can be', bytes: [1, 255, 255, 255, 127] },
    { name: 'a number beyond all bounds', bytes: [1, ...new Array<number>(40).fill(255)] },
    { name: 'a layout that is none', bytes: [1, 1, 2, 123, 125] },
    { name: 'a layout that goes beyond the end', bytes: [1, 1, 100, 123] },
  ])('is refused where the bytes are $name', ({ bytes }) => {
    expect(() => decodeSeriesChunk(new Uint8Array(bytes))).toThrow();
  });

  it('never reads damaged bytes as something endless', () => {
    fc.assert(
      fc.property(chunks, fc.nat(), fc.integer({ min: 1, max: 255 }), (chunk, place, flip) => {
        const bytes = encodeSeriesChunk(chunk);
        bytes[place % bytes.length]! ^= flip;
        try {
          expect(decodeSeriesChunk(bytes).rows).toBeLessThan(10_000);
        } catch (error) {
          expect([RangeError.name, SyntaxError.name, TypeError.name]).toContain((error as Error).name);
        }
      }),
    );
  });
});
