import type { MigrationInterface, QueryRunner } from 'typeorm';
import { type PackedPayload, unpackParts, wholeOf } from '../libs/adapter-sql/src/packing/packed-payload.ts';
import { runStatements } from './run-statements.ts';

/**
 * Adds how payloads are stored compressed: the version of the dictionary, the entry of the same stream that it is packed
 * with, and the observation apart. Where there is a dictionary, `payload` is empty. The hashes are what is left of an
 * observation, or of a payload, that has been deleted.
 */
export class PackPayloads1795308000000 implements MigrationInterface {
  readonly name = 'PackPayloads1795308000000';

  async up(runner: QueryRunner): Promise<void> {
    await runStatements(runner, {
      sqlite: added({ integer: 'INTEGER', bytes: 'BLOB' }),
      postgres: [
        ...added({ integer: 'BIGINT', bytes: 'BYTEA' }),
        // They are compressed already.
        'ALTER TABLE ledger_entry ALTER COLUMN packed SET STORAGE EXTERNAL',
        'ALTER TABLE ledger_entry ALTER COLUMN observation SET STORAGE EXTERNAL',
      ],
    });
  }

  /**
   * Writes every payload as text again.
   *
   * @throws Error where there are entries that the schema before cannot hold: those whose content has been deleted.
   */
  async down(runner: QueryRunner): Promise<void> {
    const shortened = await rowsOf(
      runner,
      'SELECT position FROM ledger_entry WHERE payload_hash IS NOT NULL OR observation_hash IS NOT NULL LIMIT 1',
    );
    if (shortened.length > 0)
      throw new Error('the ledger has entries without their content, which the schema before cannot hold');
    await runStatements(runner, {
      sqlite: ['DROP TRIGGER ledger_entry_unchanged'],
      postgres: ['DROP TRIGGER ledger_entry_unchanged ON ledger_entry'],
    });
    await unpackAll(runner);
    for (const column of columnNames.toReversed())
      await runner.query(`ALTER TABLE ledger_entry DROP COLUMN ${column}`);
    await runStatements(runner, {
      sqlite: [
        `CREATE TRIGGER ledger_entry_unchanged BEFORE UPDATE ON ledger_entry
          BEGIN SELECT RAISE(ABORT, 'a ledger entry is never changed'); END`,
      ],
      postgres: [
        `CREATE TRIGGER ledger_entry_unchanged BEFORE UPDATE ON ledger_entry
          FOR EACH ROW EXECUTE FUNCTION ledger_entry_unchanged()`,
      ],
    });
  }
}

const columnNames = ['dictionary', 'base_seq', 'packed', 'observation', 'observation_hash', 'payload_hash'];

const rowsPerPage = 200;

type Row = Readonly<Record<string, unknown>>;

/** Entries keep their columns until all are unpacked, since later ones are packed with earlier ones. */
async function unpackAll(runner: QueryRunner): Promise<void> {
  for (let after = '0'; ;) {
    const rows = await rowsOf(
      runner,
      `SELECT entry.position, entry.dictionary, entry.packed, entry.observation,
          base.packed AS base_packed, base.observation AS base_observation
        FROM ledger_entry AS entry
        LEFT JOIN ledger_entry AS base ON base.stream_id = entry.stream_id AND base.seq = entry.base_seq
        WHERE entry.dictionary IS NOT NULL AND entry.position > ${after} ORDER BY entry.position LIMIT ${rowsPerPage}`,
    );
    for (const row of rows) await unpack(runner, row);
    if (rows.length < rowsPerPage) return;
    after = String(BigInt(String(rows.at(-1)?.['position'])));
  }
}

async function unpack(runner: QueryRunner, row: Row): Promise<void> {
  const base = row['base_packed'] === null ? null : await unpackParts(packedOf(row, 'base_'), null);
  const payload = wholeOf(await unpackParts(packedOf(row, ''), base));
  const isPostgres = runner.dataSource.options.type === 'postgres';
  const [text, position] = isPostgres ? ['$1', '$2'] : ['?', '?'];
  await runner.query(`UPDATE ledger_entry SET payload = ${text} WHERE position = ${position}`, [
    payload,
    row['position'],
  ]);
}

function packedOf(row: Row, prefix: '' | 'base_'): PackedPayload {
  const observation = row[`${prefix}observation`];
  return {
    dictionary: BigInt(String(row['dictionary'])),
    packed: row[`${prefix}packed`] as Uint8Array,
    observation: observation === null ? null : (observation as Uint8Array),
  };
}

async function rowsOf(runner: QueryRunner, sql: string): Promise<readonly Row[]> {
  return (await runner.query(sql)) as readonly Row[];
}

function added({ integer, bytes }: { readonly integer: string; readonly bytes: string }): readonly string[] {
  return [
    `ALTER TABLE ledger_entry ADD COLUMN dictionary ${integer}`,
    `ALTER TABLE ledger_entry ADD COLUMN base_seq ${integer}`,
    `ALTER TABLE ledger_entry ADD COLUMN packed ${bytes}`,
    `ALTER TABLE ledger_entry ADD COLUMN observation ${bytes}`,
    'ALTER TABLE ledger_entry ADD COLUMN observation_hash TEXT',
    'ALTER TABLE ledger_entry ADD COLUMN payload_hash TEXT',
  ];
}
