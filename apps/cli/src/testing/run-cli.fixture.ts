import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
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

/** Runs `plimsoll` with one list of operands after the other, all in one process that is not waited for idly. */
export async function runCliLines(
  folder: string,
  lines: readonly (readonly string[])[],
  environment: Readonly<Record<string, string>>,
): Promise<readonly CliRun[]> {
  const options = ['--conditions=source', '--input-type=module', '--eval', linesScript];
  const env = { ...process.env, NO_COLOR: '1', ...environment };
  const child = spawn(process.execPath, options, { cwd: folder, env, stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdin.end(JSON.stringify(lines));
  const [output, messages] = await Promise.all([text(child.stdout), text(child.stderr)]);
  if (messages !== '') throw new Error(messages);
  return JSON.parse(output) as readonly CliRun[];
}

/** What a command would end the process with ends the command. */
const linesScript = `
const { main } = await import(${JSON.stringify(program)});
const { text } = await import('node:stream/consumers');
const lines = JSON.parse(await text(process.stdin));
const runs = [];
const write = process.stdout.write.bind(process.stdout);
for (const line of lines) {
  const run = { status: 0, stdout: '', stderr: '' };
  process.stdout.write = (chunk) => { run.stdout += chunk; return true; };
  process.stderr.write = (chunk) => { run.stderr += chunk; return true; };
  process.exit = (status) => { throw Object.assign(new Error('exit'), { status }); };
  process.exitCode = undefined;
  for (const stream of [process.stdout, process.stderr]) stream.removeAllListeners('error');
  try {
    await main(['node', 'plimsoll', ...line]);
    run.status = process.exitCode ?? 0;
  } catch (error) {
    run.status = error.status ?? null;
    if (error.status === undefined) run.stderr += error.stack;
  }
  runs.push(run);
}
process.exitCode = 0;
write(JSON.stringify(runs));
`;

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
