import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { isJsonObject, messageOf } from '#kernel';
import { UnusableError } from '../unusable-error.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** A controller, and who calls it. */
export interface Context {
  readonly server: string;
  readonly token: string;
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
export async function loadContext(name: string | undefined, environment: Environment): Promise<Context> {
  const { PLIMSOLL_SERVER: server, PLIMSOLL_TOKEN: token } = environment;
  if (name === undefined && server && token) return { server, token };
  const { current, contexts } = await readContexts(environment);
  const wanted = name ?? current;
  if (wanted === null)
    throw new UnusableError('no controller is known: "plimsoll login --server URL --token-file FILE" first');
  const found = contexts[wanted];
  if (found !== undefined) return found;
  const known = Object.keys(contexts).join(', ') || 'none';
  throw new UnusableError(`no context is named ${JSON.stringify(wanted)}; there is ${known}`);
}

/** The contexts that are kept. @throws UnusableError */
export async function contextNames(environment: Environment): Promise<readonly string[]> {
  return Object.keys((await readContexts(environment)).contexts);
}

/** Keeps a context, readable by its owner only, and makes it the one that commands ask. Returns the file. */
export async function saveContext(name: string, context: Context, environment: Environment): Promise<string> {
  const { contexts } = await readContexts(environment);
  const file = fileOf(environment);
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const text = JSON.stringify({ current: name, contexts: { ...contexts, [name]: context } }, null, 2);
  // Never written into: what was there may be a link, or have a wider mode.
  const next = `${file}.${process.pid}`;
  await writeFile(next, `${text}\n`, { mode: 0o600, flag: 'wx' });
  await rename(next, file);
  return file;
}

async function readContexts(environment: Environment): Promise<Contexts> {
  const file = fileOf(environment);
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { current: null, contexts: {} };
    throw new UnusableError(`cannot read ${file}: ${messageOf(error)}`);
  }
  try {
    const value: unknown = JSON.parse(text);
    if (isJsonObject(value) && isJsonObject(value['contexts'])) return value as unknown as Contexts;
  } catch {
    // Said below, with the cure.
  }
  throw new UnusableError(`${file} is no file of contexts; remove it, and log in again`);
}

function fileOf(environment: Environment): string {
  const folder = environment['XDG_CONFIG_HOME'] || join(environment['HOME'] || homedir(), '.config');
  return join(folder, 'plimsoll', 'contexts.json');
}
