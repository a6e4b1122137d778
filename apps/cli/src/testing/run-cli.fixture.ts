import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Terminal } from '../run-command.ts';

const program = fileURLToPath(new URL('../main.ts', import.meta.url));
/** Starting Node on sources takes a second on a busy machine; nothing that is run here takes long. */
const timeoutMilliseconds = 60_000;

/** What a run of the command line came to. */
export interface CliRun {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `plimsoll` in a folder, as a process of its own. */
export function runCli(folder: string, args: readonly string[], input = ''): CliRun {
  const script = `import(${JSON.stringify(program)}).then(({ main }) => main(['node', 'plimsoll', ...process.argv.slice(1)]))`;
  const options = ['--conditions=source', '--input-type=module', '--eval', script, '--', ...args];
  const env = { ...process.env, NO_COLOR: '1' };
  const { status, stdout, stderr } = spawnSync(process.execPath, options, {
    cwd: folder,
    input,
    env,
    encoding: 'utf8',
    timeout: timeoutMilliseconds,
  });
  return { status, stdout, stderr };
}

/** A terminal whose output is dropped, for a command that is run in the test's own process. */
export function aTerminal(): Terminal {
  const stream = (): PassThrough => new PassThrough().resume();
  return {
    input: stream(),
    output: stream(),
    messages: stream(),
    environment: {},
    isColoured: false,
    isFollowed: false,
  };
}

/** A folder of files, and how to remove it. */
export interface FileTree {
  readonly folder: string;
  readonly write: (files: Readonly<Record<string, string>>) => void;
  /** Runs git there, with a name and without any configuration of its own. */
  readonly git: (...operands: readonly string[]) => string;
  readonly remove: () => void;
}

/** Makes a folder of files outside any repository. */
export function makeTree(files: Readonly<Record<string, string>>): FileTree {
  const folder = mkdtempSync(join(tmpdir(), 'plimsoll-cli-'));
  const write = (more: Readonly<Record<string, string>>): void => {
    for (const [path, text] of Object.entries(more)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
  };
  write(files);
  return {
    folder,
    write,
    git: (...operands) => runGit(folder, operands),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function runGit(folder: string, operands: readonly string[]): string {
  const person = { NAME: 'Ann', EMAIL: 'ann@example.com' };
  const env = {
    ...process.env,
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: person.NAME,
    GIT_AUTHOR_EMAIL: person.EMAIL,
    GIT_COMMITTER_NAME: person.NAME,
    GIT_COMMITTER_EMAIL: person.EMAIL,
  };
  const { status, stdout, stderr } = spawnSync('git', operands, { cwd: folder, env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`git ${operands.join(' ')}: ${stderr}`);
  return stdout.trim();
}
