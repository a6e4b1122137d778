import { randomUUID } from 'node:crypto';
import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { makeFolder } from '#files';
import { codeOf, fileFault, isJsonObject, type JsonObject } from '#kernel';
import { UnusableError } from '../unusable-error.ts';
import type { ProviderToken } from './openid-provider.ts';
import { checkedToken } from './read-token.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** A controller, and who calls it. */
export interface Context extends ProviderToken {
  readonly server: string;
}

/** A context, and under which name and in which file it is kept. */
export interface KeptContext extends Context {
  /** Absent: it comes from the environment. */
  readonly kept?: { readonly name: string; readonly file: string };
  /** The longest that an answer may take; absent: what is usual. */
  readonly timeoutSeconds?: number;
}

interface Contexts {
  readonly current: string | null;
  readonly contexts: Readonly<Record<string, Context>>;
}

/**
 * The controller that a command asks: the context that is named, else `PLIMSOLL_SERVER` with `PLIMSOLL_TOKEN`, else the one
 * of the latest login.
 *
 * @throws UnusableError
 */
export async function loadContext(name: string | undefined, environment: Environment): Promise<KeptContext> {
  const timeout = timeoutIn(environment);
  const given = name === undefined ? contextIn(environment) : null;
  if (given !== null) return { ...given, ...timeout };
  const file = fileOf(environment);
  const { current, contexts } = await readContexts(file);
  const wanted = name ?? current;
  if (wanted === null) throw new UnusableError('no controller is known: "plimsoll login --server URL" first');
  const found = Object.hasOwn(contexts, wanted) ? contexts[wanted] : undefined;
  if (found !== undefined) return { ...found, ...timeout, kept: { name: wanted, file } };
  const known = Object.keys(contexts).join(', ') || 'none';
  throw new UnusableError(`no context is named ${JSON.stringify(wanted)}; there is ${known}`);
}

/**
 * The context of a login at a server, the latest first: a token goes to the server that it was given for, and no other.
 *
 * @throws UnusableError
 */
export async function contextOfServer(server: URL, environment: Environment): Promise<KeptContext> {
  const file = fileOf(environment);
  const { current, contexts } = await readContexts(file);
  const names = Object.keys(contexts).sort((a, b) => Number(b === current) - Number(a === current));
  for (const name of names) {
    const context = contexts[name];
    if (context !== undefined && isSameServer(context.server, server))
      return { ...context, kept: { name, file } };
  }
  throw new UnusableError(
    `no token for ${server.origin} is known: "plimsoll login --server ${server.origin}" first, or name --token-file`,
  );
}

function isSameServer(text: string, { origin, pathname }: URL): boolean {
  if (!URL.canParse(text)) return false;
  const known = new URL(text);
  const folder = (path: string): string => (path.endsWith('/') ? path : `${path}/`);
  return known.origin === origin && folder(known.pathname) === folder(pathname);
}

/** Null: the environment names none. One that is named by half is refused, since the context may be another controller's. */
function contextIn({ PLIMSOLL_SERVER: server, PLIMSOLL_TOKEN: token }: Environment): Context | null {
  if (server && token) return { server, token: checkedToken(token, 'PLIMSOLL_TOKEN') };
  if (!server && !token) return null;
  const [set, other] = server ? ['PLIMSOLL_SERVER', 'PLIMSOLL_TOKEN'] : ['PLIMSOLL_TOKEN', 'PLIMSOLL_SERVER'];
  throw new UnusableError(`${set} is set, and ${other} is not: set both, or name a --context`);
}

const maximumTimeoutSeconds = 3_600;

/** How long an answer may take, where `PLIMSOLL_TIMEOUT` says so. @throws UnusableError */
export function timeoutIn({ PLIMSOLL_TIMEOUT: text }: Environment): Pick<KeptContext, 'timeoutSeconds'> {
  if (!text) return {};
  const timeoutSeconds = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (timeoutSeconds >= 1 && timeoutSeconds <= maximumTimeoutSeconds) return { timeoutSeconds };
  throw new UnusableError(
    `PLIMSOLL_TIMEOUT is ${JSON.stringify(text)}; it wants seconds, 1 to ${maximumTimeoutSeconds}`,
  );
}

/** The contexts that are kept. @throws UnusableError */
export async function contextNames(environment: Environment): Promise<readonly string[]> {
  return Object.keys((await readContexts(fileOf(environment))).contexts);
}

/** Keeps a context, readable by its owner only, and makes it the one that commands ask. Returns the file. */
export async function saveContext(name: string, context: Context, environment: Environment): Promise<string> {
  const file = fileOf(environment);
  await changeContexts(file, ({ contexts }) => ({
    current: name,
    contexts: { ...contexts, [name]: context },
  }));
  return file;
}

/**
 * The context with a token that lasts: one that ends is renewed and kept. Commands that run at the same time renew it once,
 * since many providers take a refresh token once.
 *
 * @throws UnusableError
 */
export async function lastingContext(context: KeptContext): Promise<Context> {
  const { kept } = context;
  if (kept === undefined || !isDue(context)) return context;
  let lasting: Context = context;
  await changeContexts(kept.file, async (all) => {
    lasting = all.contexts[kept.name] ?? context;
    if (lasting.renewal === undefined || !isDue(lasting)) return null;
    // Only a sign-in at a provider needs its client.
    const { renewedToken } = await import('./openid-provider.ts');
    lasting = { server: lasting.server, ...(await renewedToken(lasting.renewal)) };
    return { ...all, contexts: { ...all.contexts, [kept.name]: lasting } };
  });
  return lasting;
}

function isDue({ renewal }: Context): boolean {
  return renewal !== undefined && !(Date.parse(renewal.renewAt) > Date.now());
}

/** Null: nothing changes. */
type Change = (before: Contexts) => Contexts | null | Promise<Contexts | null>;

/** One process at a time reads and writes them. */
async function changeContexts(file: string, change: Change): Promise<void> {
  try {
    await makeFolder(dirname(file), 0o700);
    const unlock = await lock(`${file}.lock`);
    try {
      const next = await change(await readContexts(file));
      if (next !== null) await writeContexts(file, next);
    } finally {
      await unlock();
    }
  } catch (error) {
    if (error instanceof UnusableError) throw error;
    throw new UnusableError(`cannot write ${file}: ${fileFault(error, file)}`);
  }
}

async function writeContexts(file: string, contexts: Contexts): Promise<void> {
  // Never written into: what was there may be a link, or have a wider mode.
  const next = `${file}.${process.pid}`;
  await rm(next, { force: true });
  await writeFile(next, `${JSON.stringify(contexts, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
  await rename(next, file);
}

/** Longer than a renewal takes: who holds it so long was killed. */
const staleMilliseconds = 60_000;
const retryMilliseconds = 50;

/** Holds a file that is there for as long as somebody holds it. @throws UnusableError where others go on holding it */
async function lock(path: string): Promise<() => Promise<void>> {
  for (let waited = 0; waited <= 2 * staleMilliseconds; waited += retryMilliseconds) {
    const release = await tryLock(path);
    if (release !== null) return release;
    if (!(await isStale(path)) || !(await removeStale(path))) await delay(retryMilliseconds);
  }
  throw new UnusableError(`another command holds ${path}; remove it and ${breakerOf(path)} where none runs`);
}

/** Null: another holds it. */
async function tryLock(path: string): Promise<(() => Promise<void>) | null> {
  const owner = randomUUID();
  if (!(await makeNew(path, owner))) return null;
  return async () => {
    // Where this process stood still, another has taken it for dead: what is there now is not its own.
    const present = await readFile(path, 'utf8').catch(() => null);
    if (present === owner) await rm(path, { force: true });
  };
}

/** Whether it was not there. */
async function makeNew(path: string, text: string): Promise<boolean> {
  try {
    await writeFile(path, text, { mode: 0o600, flag: 'wx' });
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

async function isStale(path: string): Promise<boolean> {
  const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }));
  return Date.now() - mtimeMs > staleMilliseconds;
}

/** Held while a stale lock is removed. */
function breakerOf(path: string): string {
  return `${path}.stale`;
}

/**
 * Removes a lock that is still stale, one process at a time: one that has looked before another removed it would remove
 * the new lock of that one.
 *
 * @returns whether it was this process's turn
 */
async function removeStale(path: string): Promise<boolean> {
  if (!(await makeNew(breakerOf(path), ''))) return false;
  try {
    if (await isStale(path)) await rm(path, { force: true });
  } finally {
    await rm(breakerOf(path), { force: true });
  }
  return true;
}

async function readContexts(file: string): Promise<Contexts> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return { current: null, contexts: {} };
    throw new UnusableError(`cannot read ${file}: ${fileFault(error, file)}`);
  }
  try {
    const value: unknown = JSON.parse(text);
    if (isContexts(value)) return value;
  } catch {
    // Said below, with the cure.
  }
  throw new UnusableError(`${file} is no file of contexts; remove it, and log in again`);
}

function isContexts(value: unknown): value is Contexts & JsonObject {
  if (!isJsonObject(value) || !isJsonObject(value['contexts'])) return false;
  const { current, contexts } = value;
  return (current === null || typeof current === 'string') && Object.values(contexts).every(isContext);
}

function isContext(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  const { server, token, renewal } = value;
  return hasTexts({ server, token }) && (renewal === undefined || isRenewal(renewal));
}

function isRenewal(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  const { issuer, clientId, refreshToken, renewAt } = value;
  return hasTexts({ issuer, clientId, refreshToken, renewAt });
}

function hasTexts(members: JsonObject): boolean {
  return Object.values(members).every((value) => typeof value === 'string');
}

function fileOf(environment: Environment): string {
  const folder = environment['XDG_CONFIG_HOME'] || join(environment['HOME'] || homedir(), '.config');
  return join(folder, 'plimsoll', 'contexts.json');
}
