import type { MigrationInterface, QueryRunner } from 'typeorm';
import { isPostgres } from './run-statements.ts';

/**
 * On PostgreSQL, makes `ledger_entry` a table of monthly partitions, which retention drops whole. What is there becomes the
 * first partition, up to the end of this month. SQLite stays as it is.
 *
 * Partitions are in a schema of their own, where no role but the owner has any right: they are read and written through
 * `ledger_entry` alone. Functions that run as the owner make and drop them.
 */
export class PartitionEntries1795407200000 implements MigrationInterface {
  readonly name = 'PartitionEntries1795407200000';

  async up(runner: QueryRunner): Promise<void> {
    if (!isPostgres(runner)) return;
    const schema = await currentSchema(runner);
    for (const statement of [
      ...partitioned(await listIndexes(runner)),
      ...functions(schema),
      ...triggers,
      copiedGrants({ from: 'plimsoll_partitions.ledger_entry_first', to: 'ledger_entry' }),
      'SELECT make_ledger_partitions()',
    ])
      await runner.query(statement);
  }

  /** Writes all entries into one table again. */
  async down(runner: QueryRunner): Promise<void> {
    if (!isPostgres(runner)) return;
    for (const statement of whole(await listIndexes(runner))) await runner.query(statement);
  }
}

/** How the indexes of lists are made: those that are there, whichever migrations have run. */
async function listIndexes(runner: QueryRunner): Promise<readonly string[]> {
  const rows = (await runner.query(`SELECT replace(pg_get_indexdef(indexrelid), ' ON ONLY ', ' ON ') AS sql
    FROM pg_index WHERE indrelid = 'ledger_entry'::regclass AND NOT indisunique`)) as readonly {
    readonly sql: string;
  }[];
  return rows.map(({ sql }) => sql);
}

async function currentSchema(runner: QueryRunner): Promise<string> {
  const rows = (await runner.query('SELECT quote_ident(current_schema()) AS name')) as readonly {
    readonly name: string;
  }[];
  return String(rows[0]?.name);
}

/** The number of rows that are moved between partitions at most: some 100 ms under a lock. */
const maximumMovedRows = 10_000;

/** Beside the month that it is. */
const monthsAhead = 3;

const rowTriggers = [
  `CREATE TRIGGER ledger_entry_unchanged BEFORE UPDATE ON ledger_entry
    FOR EACH ROW EXECUTE FUNCTION ledger_entry_unchanged()`,
  `CREATE TRIGGER ledger_entry_format BEFORE INSERT ON ledger_entry
    FOR EACH ROW WHEN (NEW.format < 2) EXECUTE FUNCTION ledger_entry_format()`,
  `CREATE TRIGGER ledger_entry_kept BEFORE DELETE ON ledger_entry
    FOR EACH ROW EXECUTE FUNCTION ledger_entry_deleted()`,
  `CREATE TRIGGER ledger_entry_namespace BEFORE INSERT ON ledger_entry
    FOR EACH ROW WHEN (NEW.namespace_id IS NULL) EXECUTE FUNCTION ledger_entry_namespace()`,
];

function truncateTrigger(table: string): string {
  return `CREATE TRIGGER ledger_entry_kept_whole BEFORE TRUNCATE ON ${table}
    FOR EACH STATEMENT EXECUTE FUNCTION ledger_entry_kept()`;
}

const nextMonth = `(extract(epoch FROM date_trunc('month', clock_timestamp() AT TIME ZONE 'UTC') + interval '1 month')::bigint
  * 1000000000)`;

/** The indexes of the table that is there are taken over, but for those of the two keys, which contain the time now. */
function partitioned(indexes: readonly string[]): readonly string[] {
  return [
    // A role that may make no schema finds one that was made for it.
    `DO $$ BEGIN
    IF to_regnamespace('plimsoll_partitions') IS NULL THEN CREATE SCHEMA plimsoll_partitions; END IF;
  END $$`,
    ...['unchanged', 'format', 'kept', 'namespace'].map(
      (name) => `DROP TRIGGER ledger_entry_${name} ON ledger_entry`,
    ),
    'ALTER TABLE ledger_entry ALTER COLUMN position DROP IDENTITY',
    'ALTER TABLE ledger_entry DROP CONSTRAINT ledger_entry_pkey',
    'DROP INDEX ledger_entry_stream_seq',
    'ALTER TABLE ledger_entry SET SCHEMA plimsoll_partitions',
    'ALTER TABLE plimsoll_partitions.ledger_entry RENAME TO ledger_entry_first',
    `CREATE TABLE ledger_entry (LIKE plimsoll_partitions.ledger_entry_first INCLUDING DEFAULTS INCLUDING STORAGE)
    PARTITION BY RANGE (time_nanoseconds)`,
    // Partitioned tables have identity columns from PostgreSQL 17 on.
    'CREATE SEQUENCE ledger_entry_position_seq OWNED BY ledger_entry.position',
    `SELECT setval('ledger_entry_position_seq', COALESCE(MAX(position), 0) + 1, false)
    FROM plimsoll_partitions.ledger_entry_first`,
    "ALTER TABLE ledger_entry ALTER COLUMN position SET DEFAULT nextval('ledger_entry_position_seq')",
    'ALTER TABLE ledger_entry ADD PRIMARY KEY (position, time_nanoseconds)',
    'CREATE UNIQUE INDEX ledger_entry_stream_seq ON ledger_entry (stream_id, seq, time_nanoseconds)',
    ...indexes,
    'CREATE TABLE plimsoll_partitions.ledger_entry_default PARTITION OF ledger_entry DEFAULT',
    truncateTrigger('plimsoll_partitions.ledger_entry_default'),
    truncateTrigger('ledger_entry'),
    `WITH moved AS (
      DELETE FROM plimsoll_partitions.ledger_entry_first WHERE time_nanoseconds >= ${nextMonth} RETURNING *)
    INSERT INTO plimsoll_partitions.ledger_entry_default SELECT * FROM moved`,
    `DO $$ BEGIN EXECUTE format(
    'ALTER TABLE ledger_entry ATTACH PARTITION plimsoll_partitions.ledger_entry_first FOR VALUES FROM (MINVALUE) TO (%s)',
    ${nextMonth}); END $$`,
  ];
}

const triggers = [
  // Those that retention moves into the default partition have been entries before.
  `CREATE OR REPLACE FUNCTION ledger_entry_format() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF NOT EXISTS (SELECT 1 FROM retention_permit) THEN
      RAISE EXCEPTION 'this ledger takes entries of format 2; a newer release has written to it';
    END IF;
    RETURN NEW;
  END $$`,
  ...rowTriggers,
];

/**
 * `ledger_partitions` are those with bounds: the first has no `from_nanoseconds`. The others wait for no lock for long: what
 * they wait for, appends would wait for, too. `drop_ledger_partition` moves the entries that are of no deleted segment to
 * the default partition, and returns how many others there were: -1 where there are too many to move, null where it gets
 * no lock.
 */
function functions(schema: string): readonly string[] {
  return [
    listing(schema),
    making(asOwner(schema)),
    makingAll(asOwner(schema)),
    dropping(asOwner(schema)),
    'REVOKE EXECUTE ON FUNCTION make_ledger_partition(timestamptz) FROM PUBLIC',
    'REVOKE EXECUTE ON FUNCTION drop_ledger_partition(text) FROM PUBLIC',
  ];
}

function asOwner(schema: string): string {
  return `LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, ${schema}, pg_temp
    SET lock_timeout = '500ms' SET timezone = 'UTC'`;
}

function listing(schema: string): string {
  return `CREATE FUNCTION ledger_partitions() RETURNS TABLE (
        id oid, name text, from_nanoseconds bigint, until_nanoseconds bigint)
      LANGUAGE sql STABLE SET search_path = pg_catalog, ${schema}, pg_temp AS $$
      SELECT oid, relname::text, substring(bound FROM 'FROM \\(''?(-?\\d+)')::bigint,
        substring(bound FROM 'TO \\(''?(-?\\d+)')::bigint
      FROM (SELECT pg_class.oid, relname, pg_get_expr(relpartbound, pg_class.oid) AS bound
        FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
        WHERE inhparent = 'ledger_entry'::regclass) AS partition
      WHERE bound <> 'DEFAULT'
    $$`;
}

function making(options: string): string {
  return `CREATE FUNCTION make_ledger_partition(month timestamptz) RETURNS boolean ${options} AS $$
    DECLARE
      first bigint := extract(epoch FROM month)::bigint * 1000000000;
      beyond bigint := extract(epoch FROM month + interval '1 month')::bigint * 1000000000;
      partition text := format('plimsoll_partitions.%I', 'ledger_entry_' || to_char(month, 'YYYYMM'));
    BEGIN
      IF EXISTS (SELECT 1 FROM ledger_partitions()
          WHERE until_nanoseconds > first AND COALESCE(from_nanoseconds, first) < beyond) THEN
        RETURN false;
      END IF;
      LOCK TABLE plimsoll_partitions.ledger_entry_default IN ACCESS EXCLUSIVE MODE;
      IF (SELECT COUNT(*) FROM (SELECT 1 FROM plimsoll_partitions.ledger_entry_default
          WHERE time_nanoseconds >= first AND time_nanoseconds < beyond
          LIMIT ${maximumMovedRows + 1}) AS found) > ${maximumMovedRows} THEN
        RETURN false;
      END IF;
      EXECUTE format('CREATE TABLE %s (LIKE ledger_entry INCLUDING DEFAULTS INCLUDING STORAGE)', partition);
      INSERT INTO retention_permit (id) VALUES (2);
      EXECUTE format('WITH moved AS (DELETE FROM plimsoll_partitions.ledger_entry_default
          WHERE time_nanoseconds >= %s AND time_nanoseconds < %s RETURNING *)
        INSERT INTO %s SELECT * FROM moved', first, beyond, partition);
      DELETE FROM retention_permit WHERE id = 2;
      EXECUTE format('ALTER TABLE ledger_entry ATTACH PARTITION %s FOR VALUES FROM (%s) TO (%s)',
        partition, first, beyond);
      EXECUTE format('${truncateTrigger('%s')}', partition);
      RETURN true;
    END $$`;
}

function makingAll(options: string): string {
  return `CREATE FUNCTION make_ledger_partitions() RETURNS bigint ${options} AS $$
    DECLARE
      made bigint := 0;
    BEGIN
      IF NOT pg_try_advisory_xact_lock('ledger_entry'::regclass::bigint) THEN RETURN 0; END IF;
      FOR ahead IN 0..${monthsAhead} LOOP
        IF make_ledger_partition(date_trunc('month', clock_timestamp()) + make_interval(months => ahead)) THEN
          made := made + 1;
        END IF;
      END LOOP;
      RETURN made;
    END $$`;
}

function dropping(options: string): string {
  return `CREATE FUNCTION drop_ledger_partition(partition_name text) RETURNS bigint ${options} AS $$
    DECLARE
      partition text := format('plimsoll_partitions.%I', partition_name);
      entries bigint;
      kept bigint;
    BEGIN
      IF NOT EXISTS (SELECT 1 FROM ledger_partitions() WHERE name = partition_name AND until_nanoseconds <= (
          SELECT MAX(before_nanoseconds) FROM retention_rule WHERE content = 'Payload')) THEN
        RAISE EXCEPTION 'the partition % has not expired', partition_name;
      END IF;
      EXECUTE format('SELECT COUNT(*), COUNT(*) FILTER (WHERE entry.seq > COALESCE(expired.seq, 0))
        FROM %s AS entry LEFT JOIN (SELECT stream_head.id, expired_segment.seq FROM stream_head
          JOIN expired_segment ON expired_segment.stream = stream_head.stream) AS expired ON expired.id = entry.stream_id',
        partition) INTO entries, kept;
      IF kept > ${maximumMovedRows} THEN RETURN -1; END IF;
      LOCK TABLE ledger_entry IN ACCESS EXCLUSIVE MODE;
      EXECUTE format('ALTER TABLE ledger_entry DETACH PARTITION %s', partition);
      INSERT INTO retention_permit (id) VALUES (3);
      EXECUTE format('INSERT INTO ledger_entry SELECT entry.*
        FROM %s AS entry LEFT JOIN (SELECT stream_head.id, expired_segment.seq FROM stream_head
          JOIN expired_segment ON expired_segment.stream = stream_head.stream) AS expired ON expired.id = entry.stream_id
        WHERE entry.seq > COALESCE(expired.seq, 0)', partition);
      GET DIAGNOSTICS kept = ROW_COUNT;
      DELETE FROM retention_permit WHERE id = 3;
      EXECUTE format('DROP TABLE %s', partition);
      RETURN entries - kept;
    EXCEPTION WHEN lock_not_available THEN
      RETURN NULL;
    END $$`;
}

/** Each role has the rights in the new table that it had in the old one. Who deletes entries drops partitions. */
function copiedGrants({ from, to }: { readonly from: string; readonly to: string }): string {
  const isBack = to !== 'ledger_entry';
  const more = isBack
    ? ''
    : `IF held.privilege_type = 'DELETE' THEN
        EXECUTE format('GRANT EXECUTE ON FUNCTION drop_ledger_partition(text) TO %s', held.name);
      ELSIF held.privilege_type = 'INSERT' THEN
        EXECUTE format('GRANT USAGE ON SEQUENCE ledger_entry_position_seq TO %s', held.name);
      END IF;
      EXECUTE format('REVOKE ALL ON ${from} FROM %s', held.name);`;
  return `DO $$ DECLARE held record; BEGIN
    FOR held IN SELECT privilege_type, CASE WHEN grantee = 0 THEN 'PUBLIC' ELSE grantee::regrole::text END AS name
      FROM pg_class, aclexplode(relacl) WHERE pg_class.oid = '${from}'::regclass AND grantee <> relowner LOOP
      EXECUTE format('GRANT %s ON ${to} TO %s', held.privilege_type, held.name);
      ${more}
    END LOOP;
  END $$`;
}

function whole(indexes: readonly string[]): readonly string[] {
  return [
    'CREATE TABLE ledger_entry_whole (LIKE ledger_entry INCLUDING DEFAULTS INCLUDING STORAGE)',
    'ALTER TABLE ledger_entry_whole ALTER COLUMN position DROP DEFAULT',
    'LOCK TABLE ledger_entry IN ACCESS EXCLUSIVE MODE',
    'INSERT INTO ledger_entry_whole SELECT * FROM ledger_entry ORDER BY position',
    copiedGrants({ from: 'ledger_entry', to: 'ledger_entry_whole' }),
    'DROP TABLE ledger_entry',
    'DROP FUNCTION drop_ledger_partition(text)',
    'DROP FUNCTION make_ledger_partitions()',
    'DROP FUNCTION make_ledger_partition(timestamptz)',
    'DROP FUNCTION ledger_partitions()',
    'DROP SCHEMA plimsoll_partitions',
    'ALTER TABLE ledger_entry_whole RENAME TO ledger_entry',
    'ALTER TABLE ledger_entry ADD CONSTRAINT ledger_entry_pkey PRIMARY KEY (position)',
    'ALTER TABLE ledger_entry ALTER COLUMN position ADD GENERATED ALWAYS AS IDENTITY',
    `SELECT setval(pg_get_serial_sequence('ledger_entry', 'position'), COALESCE(MAX(position), 0) + 1, false)
    FROM ledger_entry`,
    'CREATE UNIQUE INDEX ledger_entry_stream_seq ON ledger_entry (stream_id, seq)',
    ...indexes,
    `CREATE OR REPLACE FUNCTION ledger_entry_format() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'this ledger takes entries of format 2; a newer release has written to it'; END $$`,
    ...rowTriggers,
    truncateTrigger('ledger_entry'),
  ];
}
