import { spawnSync } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import type { exportLedger } from '../../apps/cli/src/audit/export-ledger.ts';
import { verifyExport } from '../../apps/cli/src/audit/verify-export.ts';
import { UnusableError } from '../../apps/cli/src/unusable-error.ts';
import type { ExportFiles } from './edits.ts';

const secondVerifier = join(import.meta.dirname, 'verify_ledger.py');

/** Whether the second verifier can be run; CI has it. */
export const hasPython = spawnSync('python3', ['--version']).status === 0;
if (!hasPython) {
  const reason = 'python3 is not installed, so the second verifier cannot be held against ours';
  if (process.env['CI'] !== undefined) throw new Error(reason);
  process.stderr.write(`${reason}\n`);
}

/** What a verifier says. */
export interface Judgement {
  readonly status: string;
  readonly fault?: {
    readonly code: string;
    readonly stream: string | null;
    readonly seq: string | null;
  } | null;
}

/** A terminal that keeps its output. */
export function aTerminal(): {
  readonly terminal: Parameters<typeof exportLedger>[1];
  readonly output: PassThrough;
} {
  const output = new PassThrough();
  const messages = new PassThrough().resume();
  const terminal = {
    input: new PassThrough(),
    output,
    messages,
    environment: {},
    isColoured: false,
    isFollowed: false,
  };
  return { terminal, output };
}

/** What our verifier says of an export. */
export async function judge(
  exported: string,
  witness: { readonly key?: string; readonly checkpoint?: string } = {},
): Promise<Judgement> {
  try {
    const { status, fault } = await reportOf(exported, witness);
    if (fault === null || fault === undefined) return { status, fault: null };
    return { status, fault: { code: fault.code, stream: fault.stream, seq: fault.seq } };
  } catch (error) {
    if (error instanceof UnusableError) return { status: 'Unusable' };
    throw error;
  }
}

/** All that our verifier says. */
export async function reportOf(
  exported: string,
  witness: { readonly key?: string; readonly checkpoint?: string },
): Promise<Judgement> {
  const { terminal, output } = aTerminal();
  await verifyExport(exported, { format: 'json', ...witness }, terminal);
  return JSON.parse(String(output.read())) as Judgement;
}

/** What the second verifier says, without what it only tells people. */
export function judgeInPython(
  folders: readonly string[],
  key?: string,
  checkpoint?: string,
): readonly Judgement[] {
  return reportsInPython(folders, key, checkpoint).map(({ status, fault }) =>
    status === 'Unusable' ? { status } : { status, fault: fault ?? null },
  );
}

/** All that the second verifier says. */
export function reportsInPython(
  folders: readonly string[],
  key?: string,
  checkpoint?: string,
): readonly Judgement[] {
  const witnesses = [
    ...(key === undefined ? [] : ['--key', key]),
    ...(checkpoint === undefined ? [] : ['--checkpoint', checkpoint]),
  ];
  const { stdout, stderr } = spawnSync('python3', [secondVerifier, ...witnesses, ...folders], {
    encoding: 'utf8',
  });
  if (stderr !== '') throw new Error(stderr);
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Judgement);
}

/** What the second verifier ends with. */
export function statusInPython(words: readonly string[]): number | null {
  return spawnSync('python3', [secondVerifier, ...words]).status;
}

/** The files of an export. */
export async function read(exported: string): Promise<ExportFiles> {
  const names = (await readdir(exported)).sort();
  return new Map(
    await Promise.all(names.map(async (name) => [name, await readFile(join(exported, name))] as const)),
  );
}

/** Writes the files of an export. */
export async function write(files: ExportFiles, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  for (const [name, bytes] of files) await writeFile(join(to, name), bytes);
}
