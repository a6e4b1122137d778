import type { QueryRunner } from 'typeorm';
import { type PackedPayload, unpackParts, wholeOf } from '../libs/adapter-sql/src/packing/packed-payload.ts';
import { isPostgres, runStatements } from './run-statements.ts';

/** Rows of one UPDATE: some 50 ms of the database. */
const entriesPerUpdate = 10_000;
/** Their payloads are in memory. */
const entriesPerPage = 500;

/** Kinds that name an actor or a commit. */
const kinds =
  'Decision ScalingIntent ScalingEvent ActuationIntent ActuationOutcome StrategyChange PolicyChange SyncRun OperatorAction KeyLost';

type Row = Readonly<Record<string, unknown>>;

/** Gives streams their namespace, and their entries that of the stream. */
export async function fillNamespaces(runner: QueryRunner): Promise<void> {
  await runStatements(runner, {
    sqlite: [
      `INSERT INTO entry_name (kind, name)
        SELECT DISTINCT 'Namespace', ${sqliteNamespace} FROM stream_head WHERE instr(stream, '/') > 0`,
      `UPDATE stream_head SET namespace_id = (SELECT id FROM entry_name WHERE kind = 'Namespace' AND name = ${sqliteNamespace})
        WHERE instr(stream, '/') > 0`,
    ],
    postgres: [
      `INSERT INTO entry_name (kind, name)
        SELECT DISTINCT 'Namespace', ${postgresNamespace} FROM stream_head WHERE strpos(stream, '/') > 0`,
      `UPDATE stream_head SET namespace_id = entry_name.id FROM entry_name
        WHERE entry_name.kind = 'Namespace' AND strpos(stream, '/') > 0 AND entry_name.name = ${postgresNamespace}`,
    ],
  });
  await withPermit(runner, async () => {
    const last = await lastPosition(runner);
    for (let from = 0n; from < last; from += BigInt(entriesPerUpdate)) {
      await runner.query(`UPDATE ledger_entry SET namespace_id = (
          SELECT namespace_id FROM stream_head WHERE stream_head.id = ledger_entry.stream_id)
        WHERE position > ${from} AND position <= ${from + BigInt(entriesPerUpdate)}`);
    }
  });
}

const sqliteNamespace = "substr(stream, instr(stream, ':') + 1, instr(stream, '/') - instr(stream, ':') - 1)";
const postgresNamespace = "split_part(split_part(stream, ':', 2), '/', 1)";

/** Gives entries the actor and the commit that their payload names. */
export async function fillNames(runner: QueryRunner): Promise<void> {
  const names = new NameTable(runner);
  await withPermit(runner, async () => {
    for (let after: unknown = 0; ;) {
      const rows = await rowsOf(
        runner,
        `SELECT entry.position, entry.payload, entry.dictionary, entry.packed, entry.observation,
            base.packed AS base_packed, base.observation AS base_observation
          FROM ledger_entry AS entry
          LEFT JOIN ledger_entry AS base ON base.stream_id = entry.stream_id AND base.seq = entry.base_seq
          WHERE entry.position > ${String(after)} AND entry.payload_hash IS NULL AND entry.observation_hash IS NULL
            AND entry.kind IN (${kinds
              .split(' ')
              .map((kind) => `'${kind}'`)
              .join(', ')})
          ORDER BY entry.position LIMIT ${entriesPerPage}`,
      );
      await nameEntries(runner, names, rows);
      if (rows.length < entriesPerPage) return;
      after = rows.at(-1)?.['position'];
    }
  });
}

async function nameEntries(runner: QueryRunner, names: NameTable, rows: readonly Row[]): Promise<void> {
  const values: string[] = [];
  for (const row of rows) {
    const payload = await payloadOf(row);
    const actor = await names.idOf('Actor', textAt(payload, 'actor'));
    const commit = await names.idOf('Commit', textAt(memberOf(payload, 'commit'), 'hash'));
    if (actor !== null || commit !== null) {
      values.push(
        `(${String(row['position'])}, CAST(${String(actor)} AS BIGINT), CAST(${String(commit)} AS BIGINT))`,
      );
    }
  }
  if (values.length === 0) return;
  await runner.query(`WITH found (place, actor, commit_name) AS (VALUES ${values.join(', ')})
    UPDATE ledger_entry SET actor_id = found.actor, commit_id = found.commit_name
    FROM found WHERE ledger_entry.position = found.place`);
}

/** Gives operators' actions the namespace that they concern. */
export async function fillNamespacesOfActions(runner: QueryRunner): Promise<void> {
  await fillOfActions(runner, { column: 'namespace_id', kind: 'Namespace', nameIn: namespaceIn });
}

/** Gives operators' actions the policy that they name. */
export async function fillPoliciesOfActions(runner: QueryRunner): Promise<void> {
  await fillOfActions(runner, { column: 'policy_id', kind: 'Policy', nameIn: policyIn });
}

/** Gives operators' actions that name no single policy the scope that they concern. */
export async function fillScopesOfActions(runner: QueryRunner): Promise<void> {
  await fillOfActions(runner, { column: 'policy_id', kind: 'Policy', nameIn: scopeIn });
}

/** What is named in the arguments of actions. */
interface ActionName {
  readonly column: 'namespace_id' | 'policy_id';
  readonly kind: NameKind;
  readonly nameIn: (given: unknown, action: string | null) => string | null;
}

async function fillOfActions(runner: QueryRunner, { column, kind, nameIn }: ActionName): Promise<void> {
  const names = new NameTable(runner);
  await withPermit(runner, async () => {
    for (let after: unknown = 0; ;) {
      const rows = await rowsOf(
        runner,
        `SELECT seq, position, kind, payload FROM ledger_entry
          WHERE stream_id = (SELECT id FROM stream_head WHERE stream = 'admin') AND seq > ${String(after)}
            AND payload_hash IS NULL AND dictionary IS NULL AND ${column} IS NULL
          ORDER BY seq LIMIT ${entriesPerPage}`,
      );
      const actions = rows.filter((row) => row['kind'] === 'OperatorAction');
      for (const row of actions) {
        const payload = await payloadOf({ ...row, dictionary: null });
        const given = memberOf(payload, 'arguments');
        const id = await names.idOf(kind, nameIn(given, textAt(payload, 'action')));
        if (id !== null) {
          await runner.query(
            `UPDATE ledger_entry SET ${column} = ${id} WHERE position = ${String(row['position'])}`,
          );
        }
      }
      if (rows.length < entriesPerPage) return;
      after = rows.at(-1)?.['seq'];
    }
  });
}

/** Takes it from them again: the release before reads them from their stream. */
export async function clearNamespacesOfActions(runner: QueryRunner): Promise<void> {
  const clear = `UPDATE ledger_entry SET namespace_id = NULL
    WHERE stream_id = (SELECT id FROM stream_head WHERE stream = 'admin')`;
  if (isPostgres(runner)) {
    await runner.query('ALTER TABLE ledger_entry DISABLE TRIGGER ledger_entry_unchanged');
    await runner.query(clear);
    await runner.query('ALTER TABLE ledger_entry ENABLE TRIGGER ledger_entry_unchanged');
    return;
  }
  const [trigger] = await rowsOf(
    runner,
    "SELECT sql FROM sqlite_master WHERE name = 'ledger_entry_unchanged'",
  );
  await runner.query('DROP TRIGGER ledger_entry_unchanged');
  await runner.query(clear);
  await runner.query(String(trigger?.['sql']));
}

function namespaceIn(given: unknown): string | null {
  const policy = textAt(given, 'policy');
  const namespace =
    policy === null ? textAt(given, 'namespace') : policy.slice(0, Math.max(0, policy.indexOf('/')));
  return namespace !== null && /^[a-z0-9][a-z0-9-]{0,62}$/.test(namespace) ? namespace : null;
}

function policyIn(given: unknown): string | null {
  const policy = textAt(given, 'policy');
  return policy !== null && /^[a-z0-9][a-z0-9-]{0,62}\/[a-z0-9][a-z0-9.-]{0,252}$/.test(policy)
    ? policy
    : null;
}

/** Of actions that name no policy: those have theirs. */
function scopeIn(given: unknown, action: string | null): string | null {
  if (action === 'SyncSource' || textAt(given, 'policy') !== null) return null;
  const named = ([kind, key]: readonly [string, string]): readonly string[] => {
    const text = textAt(given, key);
    return text === null ? [] : [`${kind} ${text}`];
  };
  const [scope] = [
    ...(
      [
        ['Namespace', 'namespace'],
        ['MetricSource', 'metricSource'],
        ['Source', 'source'],
      ] as const
    ).flatMap(named),
    ...(textAt(given, 'scope') === 'Cluster' ? ['Cluster'] : []),
  ];
  return scope !== undefined && /^[\x21-\x7e]+(?: [\x21-\x7e]{1,300})?$/.test(scope) ? scope : null;
}

type NameKind = 'Actor' | 'Commit' | 'Namespace' | 'Policy';

/** The names that are stored, with their numbers. */
class NameTable {
  readonly #runner: QueryRunner;
  readonly #ids = new Map<string, string>();

  constructor(runner: QueryRunner) {
    this.#runner = runner;
  }

  /** The number of a name, which is stored first where it is new. */
  async idOf(kind: NameKind, name: string | null): Promise<string | null> {
    if (name === null) return null;
    const key = `${kind} ${name}`;
    const known = this.#ids.get(key);
    if (known !== undefined) return known;
    const [one, two] = isPostgres(this.#runner) ? ['$1', '$2'] : ['?', '?'];
    await this.#runner.query(
      `INSERT INTO entry_name (kind, name) VALUES (${one}, ${two}) ON CONFLICT DO NOTHING`,
      [kind, name],
    );
    const sql = `SELECT id FROM entry_name WHERE kind = ${one} AND name = ${two}`;
    const [row] = (await this.#runner.query(sql, [kind, name])) as readonly Row[];
    const id = String(row?.['id']);
    this.#ids.set(key, id);
    return id;
  }
}

/** Undefined where it is damaged: its verification tells, and an upgrade is not stopped by it. */
async function payloadOf(row: Row): Promise<unknown> {
  try {
    if (row['dictionary'] === null) return JSON.parse(String(row['payload']));
    const base = row['base_packed'] === null ? null : await unpackParts(packedOf(row, 'base_'), null);
    return JSON.parse(wholeOf(await unpackParts(packedOf(row, ''), base)));
  } catch {
    return undefined;
  }
}

function packedOf(row: Row, prefix: '' | 'base_'): PackedPayload {
  const observation = row[`${prefix}observation`];
  return {
    dictionary: BigInt(String(row['dictionary'])),
    packed: row[`${prefix}packed`] as Uint8Array,
    observation: observation === null ? null : (observation as Uint8Array),
  };
}

function memberOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}

function textAt(value: unknown, key: string): string | null {
  const found = memberOf(value, key);
  return typeof found === 'string' ? found : null;
}

/** The triggers let a transaction with such a row change entries. */
async function withPermit(runner: QueryRunner, change: () => Promise<void>): Promise<void> {
  await runner.query('INSERT INTO retention_permit (id) VALUES (1)');
  await change();
  await runner.query('DELETE FROM retention_permit');
}

async function lastPosition(runner: QueryRunner): Promise<bigint> {
  const [row] = await rowsOf(runner, 'SELECT COALESCE(MAX(position), 0) AS last FROM ledger_entry');
  return BigInt(String(row?.['last']));
}

async function rowsOf(runner: QueryRunner, sql: string): Promise<readonly Row[]> {
  return (await runner.query(sql)) as readonly Row[];
}
