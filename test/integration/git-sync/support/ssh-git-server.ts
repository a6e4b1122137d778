import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { findFreePort } from '../../../support/free-ports.ts';

const run = promisify(execFile);

/** OpenSSH's server wants to be called by its absolute path. */
const sshd = '/usr/sbin/sshd';

/** Why there can be no server here, or undefined. */
export function sshServerMissing(): string | undefined {
  return existsSync(sshd) ? undefined : `${sshd} is not installed (Debian: openssh-server)`;
}

/** How a server is to behave. */
export interface SshServerOptions {
  /** Many servers let no variable through: git then speaks its protocol 0. */
  readonly passesGitProtocol: 'passes GIT_PROTOCOL' | 'drops GIT_PROTOCOL';
}

/** OpenSSH's own server on loopback, with keys, configuration and log in a folder of its own. */
export class SshGitServer {
  readonly folder: string;
  readonly port: number;
  readonly #process: ChildProcess;

  private constructor(folder: string, port: number, process: ChildProcess) {
    this.folder = folder;
    this.port = port;
    this.#process = process;
  }

  /** Answers once the server listens. */
  static async start(options: SshServerOptions): Promise<SshGitServer> {
    // A blank and a percent sign: OpenSSH splits and expands such paths where they are not quoted for it.
    const folder = await mkdtemp(join(tmpdir(), 'plimsoll-ssh 100%d-'));
    const port = await findFreePort();
    await makeKey(join(folder, 'host'));
    await writeFile(join(folder, 'authorized_keys'), '');
    await writeFile(join(folder, 'sshd_config'), configuration(folder, port, options));
    // A server that runs as root separates privileges in this folder, which a boot would have made.
    if (userInfo().uid === 0) await mkdir('/run/sshd', { recursive: true, mode: 0o755 });
    const process = spawn(sshd, ['-D', '-e', '-f', join(folder, 'sshd_config')], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const server = new SshGitServer(folder, port, process);
    await listening(process);
    return server;
  }

  /** The address of a folder behind this server. */
  urlOf(repository: string): string {
    return `ssh://${userInfo().username}@127.0.0.1:${this.port}${repository}`;
  }

  /** The server's line for a `known_hosts` file. */
  async hostLine(): Promise<string> {
    return this.hostLineOf(join(this.folder, 'host'));
  }

  /** A line that says this server had another key. */
  async hostLineOf(key: string): Promise<string> {
    return `[127.0.0.1]:${this.port} ${await readFile(`${key}.pub`, 'utf8')}`;
  }

  /** From now on these private keys open the door, and no other. */
  async authorize(...keys: readonly string[]): Promise<void> {
    const lines = await Promise.all(keys.map((key) => readFile(`${key}.pub`, 'utf8')));
    await writeFile(join(this.folder, 'authorized_keys'), lines.join(''));
  }

  async stop(): Promise<void> {
    if (this.#process.exitCode === null) {
      const exit = once(this.#process, 'exit');
      this.#process.kill('SIGTERM');
      await exit;
    }
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** Makes a pair: the private key at the path, the public one beside it. */
export async function makeKey(path: string): Promise<string> {
  await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'plimsoll test', '-f', path]);
  return path;
}

function configuration(folder: string, port: number, options: SshServerOptions): string {
  const lines = [
    'ListenAddress 127.0.0.1',
    `Port ${port}`,
    `HostKey "${join(folder, 'host')}"`,
    'PidFile none',
    // The percent sign would be one of sshd's tokens.
    `AuthorizedKeysFile "${join(folder, 'authorized_keys').replaceAll('%', '%%')}"`,
    'UsePAM no',
    'StrictModes no',
    'PasswordAuthentication no',
    'KbdInteractiveAuthentication no',
    'PermitRootLogin prohibit-password',
    ...(options.passesGitProtocol === 'passes GIT_PROTOCOL' ? ['AcceptEnv GIT_PROTOCOL'] : []),
  ];
  return `${lines.join('\n')}\n`;
}

/** Throws what the server printed where it ends before it listens. Its log is read to the end, so that it never blocks. */
async function listening(process: ChildProcess): Promise<void> {
  if (process.stderr === null) throw new Error('sshd has no log');
  const printed: string[] = [];
  const log = createInterface({ input: process.stderr });
  await new Promise<void>((resolve, reject) => {
    log.on('line', (line) => {
      if (line.startsWith('Server listening')) resolve();
      else if (printed.length < 20) printed.push(line);
    });
    process.once('error', reject);
    process.once('exit', () => reject(new Error(`sshd did not start: ${printed.join('; ')}`)));
  });
}
