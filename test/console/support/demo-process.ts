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
  /** Of Prometheus metrics, which have a port of their own. */
  readonly metricsUrl: string;
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
  let link: string | undefined;
  const signInUrl = await new Promise<string>((resolve, reject) => {
    const fail = (): void => reject(new Error(`the demo did not start:\n${lines.slice(-30).join('\n')}`));
    const timer = setTimeout(fail, startTimeoutMilliseconds);
    child.once('exit', fail);
    output.on('line', (line) => {
      lines.push(line);
      link ??= /console\s+(http\S+)/.exec(line)?.[1];
      // Below the link, and the last of what is read here.
      if (link === undefined || !/^\s+metrics\s/.test(line)) return;
      clearTimeout(timer);
      child.off('exit', fail);
      resolve(link);
    });
  }).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  const { origin, hash } = new URL(signInUrl);
  return {
    url: origin,
    signInUrl,
    token: hash.slice(1),
    metricsUrl: namedIn(lines, 'metrics'),
    repository: namedIn(lines, 'policies'),
    stop,
  };
}

/** What the introduction names so. */
function namedIn(lines: readonly string[], name: string): string {
  const form = new RegExp(String.raw`^\s+${name}\s+(\S+)`);
  const found = lines.map((line) => form.exec(line)?.[1]).find((text) => text !== undefined);
  if (found === undefined) throw new Error(`the demo names no ${name}`);
  return found;
}
