import { execFile } from 'node:child_process';
import { appendFile, chmod, cp, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';

/** A server that follows another by streaming replication, which does not wait for it. */
export interface TestStandby {
  readonly port: number;
  /** Waits until it has everything that the other has stored. */
  readonly hasAll: () => Promise<void>;
  /** Ends the replication: what the other stores from now on, it does not get. */
  readonly cutOff: () => Promise<void>;
  /** Makes it take writes. */
  readonly promote: () => Promise<void>;
}

/** How a server is reached, and where its data are. */
export interface Primary {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly data: string;
}

const run = promisify(execFile);

/** What a standby begins with none of: it is of the running server, or comes by replication. */
const leftOut = /^(?:postmaster\.(?:pid|opts)|(?:pg_wal|pg_replslot|pg_stat_tmp)\/.+)$/;

/** Copies the data of a server that runs, as its manual says for a base backup by SQL, into a folder that is not there. */
export async function copyForStandby(primary: Primary, data: string, owner: number | null): Promise<void> {
  const { host, port, user, password } = primary;
  await withClient(primary, port, async (client) => {
    await client.query("SELECT pg_backup_start('standby', true)");
    await cp(primary.data, data, {
      recursive: true,
      filter: (path) => !leftOut.test(relative(primary.data, path)),
    });
    const { rows } = await client.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop(false)');
    await writeFile(join(data, 'backup_label'), rows[0]?.labelfile ?? '');
  });
  await writeFile(join(data, 'standby.signal'), '');
  const connection = `host=${host} port=${port} user=${user} password=${password}`;
  await appendFile(join(data, 'postgresql.auto.conf'), `primary_conninfo = '${connection}'\n`);
  await chmod(data, 0o700);
  if (owner !== null) await run('chown', ['-R', `${owner}:${owner}`, data]);
}

/** What a test does with a standby that runs. */
export function standbyOf(primary: Primary, port: number): TestStandby {
  const ask = async (sql: string, at = port): Promise<unknown> =>
    withClient(primary, at, async (client) => {
      const { rows } = await client.query<Record<string, unknown>>(sql);
      return Object.values(rows[0] ?? {})[0];
    });
  const until = async (sql: string): Promise<void> => {
    while ((await ask(sql)) !== true) await delay(20);
  };
  return {
    port,
    hasAll: async () => {
      const end = String(await ask('SELECT pg_current_wal_flush_lsn()', primary.port));
      await until(`SELECT pg_last_wal_replay_lsn() >= '${end}'`);
    },
    cutOff: async () => {
      await ask("ALTER SYSTEM SET primary_conninfo = ''");
      await ask('SELECT pg_reload_conf()');
      await until('SELECT NOT EXISTS (SELECT 1 FROM pg_stat_wal_receiver)');
    },
    promote: async () => {
      await ask('SELECT pg_promote(true, 60)');
      await until('SELECT NOT pg_is_in_recovery()');
    },
  };
}

async function withClient<T>(
  { host, user, password }: Primary,
  port: number,
  use: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ host, port, user, password, database: 'postgres' });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}
