import { readFileSync, writeFileSync } from 'node:fs';
import { messageOf } from '#kernel';
import { type ConversionTarget, type ConvertedFile, convertFile, defaultYamlLimits } from '#policy';
import { UnusableError } from '../repository/unusable-error.ts';

/** What the command line holds, beside the files. */
export interface ConvertArguments {
  readonly to: ConversionTarget;
  readonly write?: boolean;
}

const standardInput = '-';

/** Runs `plimsoll convert` and sets the exit status: 0 converted, 1 some document is invalid, 2 could not run. */
export async function runConvert(
  files: readonly string[],
  { to, write = false }: ConvertArguments,
): Promise<void> {
  try {
    process.exitCode = await convertAll(files.length === 0 ? [standardInput] : files, { to, write });
  } catch (error) {
    if (!(error instanceof UnusableError)) throw error;
    process.stderr.write(`plimsoll: ${error.message}\n`);
    process.exitCode = 2;
  }
}

async function convertAll(
  files: readonly string[],
  { to, write }: { readonly to: ConversionTarget; readonly write: boolean },
): Promise<0 | 1> {
  if (write && files.includes(standardInput))
    throw new UnusableError('--write needs files, not standard input');
  // Everything is read before anything is written: an unreadable file leaves the others as they are.
  const sources = await Promise.all(files.map(async (file) => ({ file, bytes: await readBytes(file) })));
  const results = sources.map(({ file, bytes }) => ({ file, ...convertFile({ file, bytes, to }) }));
  for (const { diagnostics } of results) report(diagnostics);
  const valid = results.filter((result) => !hasError(result));
  if (write) for (const { file, text, converted } of valid) writeChanged(file, text, converted);
  else process.stdout.write(joined(valid.map(({ text }) => text)));
  return valid.length === results.length ? 0 : 1;
}

function hasError({ diagnostics }: ConvertedFile): boolean {
  return diagnostics.some(({ severity }) => severity === 'error');
}

function report(diagnostics: ConvertedFile['diagnostics']): void {
  for (const { file, line, column, severity, code, message, hint } of diagnostics) {
    const name = file === standardInput ? 'standard input' : file;
    process.stderr.write(`${name}:${line}:${column}: ${severity} ${code}: ${message}\n`);
    if (hint !== undefined) process.stderr.write(`  hint: ${hint.replaceAll('\n', '\n  ')}\n`);
  }
}

function writeChanged(file: string, text: string, converted: number): void {
  if (converted === 0) return;
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw new UnusableError(`${file} cannot be written: ${reasonOf(error)}`);
  }
  process.stderr.write(`${file}: ${converted} converted\n`);
}

/** Several files as one stream of documents. */
function joined(texts: readonly string[]): string {
  return texts
    .map((text, index) => {
      const ended = text === '' || text.endsWith('\n') ? text : `${text}\n`;
      return index === 0 || ended.startsWith('---') ? ended : `---\n${ended}`;
    })
    .join('');
}

async function readBytes(file: string): Promise<Uint8Array> {
  try {
    return file === standardInput ? await readInput() : readFileSync(file);
  } catch (error) {
    throw new UnusableError(`${file} cannot be read: ${reasonOf(error)}`);
  }
}

/** Standard input, up to what is read of a file and a byte more, so that too much is said to be too much. */
async function readInput(): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > defaultYamlLimits.fileBytes) break;
  }
  return Buffer.concat(chunks);
}

function reasonOf(error: unknown): string {
  return messageOf(error);
}
