import { expect, it } from '@jest/globals';
import type { SqlQuery, SqlRow } from '../connection/sql-database.ts';
import { KeptBases } from '../packing/kept-bases.ts';
import { KeptEntries } from './kept-entries.ts';
import { readUnobserved } from './unobserved-entries.ts';

const payload = { reason: 'r'.repeat(100) };

/** Entries of a database that says which positions it was asked for. */
function entriesOf(maximumCharacters?: number, timeOf = (position: bigint) => position) {
  const asked: bigint[][] = [];
  const query = ({ parameters = [] }: SqlQuery): Promise<readonly SqlRow[]> => {
    const positions = (JSON.parse(String(parameters[0])) as readonly number[]).map(BigInt);
    asked.push(positions);
    return Promise.resolve(positions.map((position) => rowAt(position, timeOf(position))));
  };
  const database = {
    dialect: 'sqlite',
    query,
    transaction: () => Promise.reject(new Error('not asked')),
  } as const;
  const entries = new KeptEntries(database, {
    read: readUnobserved(database, new KeptBases()),
    ...(maximumCharacters === undefined ? {} : { maximumCharacters }),
  });
  const read = async (...positions: readonly bigint[]): Promise<readonly bigint[]> => {
    asked.length = 0;
    const found = await entries.at(
      positions.map((position) => ({ position, time_nanoseconds: timeOf(position) })),
    );
    expect([...found.keys()].sort()).toEqual([...positions].sort());
    for (const entry of found.values()) expect(entry.payload).toEqual(payload);
    return asked.flat();
  };
  return read;
}

function rowAt(position: bigint, time: bigint): SqlRow {
  const text = { stream: 's', cluster: 'c', kind: 'Decision', time: 't', previous_hash: 'p', hash: 'h' };
  const content = { payload: JSON.stringify(payload), payload_hash: null, dictionary: null };
  return { ...text, ...content, position, time_nanoseconds: time, format: 2n, seq: position };
}

it('keeps what is read for the second time', async () => {
  const read = entriesOf();
  expect(await read(1n, 2n)).toEqual([1n, 2n]);
  expect(await read(1n)).toEqual([1n]);
  expect(await read(1n, 2n)).toEqual([2n]);
  expect(await read(1n, 2n)).toEqual([]);
});

it('goes on keeping it while others read through the ledger', async () => {
  const read = entriesOf(1_000);
  await read(1n);
  await read(1n);
  for (let position = 2n; position < 5_000n; position += 1n) await read(position);
  expect(await read(1n)).toEqual([]);
  // It was read once so long ago that it is forgotten.
  expect(await read(2n)).toEqual([2n]);
  expect(await read(2n)).toEqual([2n]);
  expect(await read(2n)).toEqual([]);
});

it('lets go of what was read the longest ago beyond its size', async () => {
  const read = entriesOf(300);
  for (const position of [1n, 2n, 3n]) {
    await read(position);
    await read(position);
  }
  expect(await read(3n, 2n)).toEqual([]);
  expect(await read(1n)).toEqual([1n]);
});

it('reads anew what another entry has taken the position of, as in a database that has lost some', async () => {
  let time = 1n;
  const read = entriesOf(300, () => time);
  await read(1n);
  await read(1n);
  expect(await read(1n)).toEqual([]);
  time = 2n;
  expect(await read(1n)).toEqual([1n]);
});
