import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const root = join(import.meta.dirname, '../../..');

/** Starting makes a cluster, a repository and a database. */
const startTimeoutMilliseconds = 180_000;

/** The demo as `npm start` runs it, in a process of its own. */
export interface DemoProcess {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  /** The link that it prints, which signs in. */
  readonly signInUrl: string;
  readonly token: string;
  /** The repository that its policies come from, to commit to. */
  readonly repository: string;
  readonly stop: () => Promise<void>;
}

/** Starts the built demo, and waits until it has printed where its console is. @throws Error with its output */
export async function startDemoProcess(): Promise<DemoProcess> {
  const child = spawn(process.execPath, ['scripts/start.js'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines: string[] = [];
  const output = createInterface({ input: child.stdout });
  createInterface({ input: child.stderr }).on('line', (line) => lines.push(line));
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  };
  const link = await new Promise<string>((resolve, reject) => {
    const fail = (): void => reject(new Error(`the demo did not start:\n${lines.slice(-30).join('\n')}`));
    const timer = setTimeout(fail, startTimeoutMilliseconds);
    child.once('exit', fail);
    output.on('line', (line) => {
      lines.push(line);
      const found = /console\s+(http\S+)/.exec(line)?.[1];
      if (found === undefined) return;
      clearTimeout(timer);
      child.off('exit', fail);
      resolve(found);
    });
  }).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  const { origin, hash } = new URL(link);
  return { url: origin, signInUrl: link, token: hash.slice(1), repository: repositoryIn(lines), stop };
}

/** As the introduction names it, above the console. */
function repositoryIn(lines: readonly string[]): string {
  const found = lines
    .map((line) => /^\s+policies\s+(\S+)/.exec(line)?.[1])
    .find((path) => path !== undefined);
  if (found === undefined) throw new Error('the demo names no repository');
  return found;
}
