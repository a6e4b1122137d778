import { readFileSync, writeFileSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import type { ParserPool } from '#adapter-parser';
import { fileFault } from '#kernel';
import {
  type ConversionSource,
  type ConversionTarget,
  type ConvertedFile,
  defaultYamlLimits,
  pathText,
  unparsedPolicyFile,
} from '#policy';
import { printableLines } from '../printable.ts';
import { withParser } from '../repository/with-parser.ts';
import type { ExitStatus, Terminal } from '../run-command.ts';
import { UnusableError } from '../unusable-error.ts';

/** What the command line holds, beside the files. */
export interface ConvertArguments {
  readonly to: ConversionTarget;
  readonly write?: boolean;
}

const standardInput = '-';

/**
 * Converts files, or standard input where none is named, and prints or writes what came of them; 1 where some document
 * is invalid, or nothing at all was given.
 *
 * @throws UnusableError where a file cannot be read or written
 */
export async function convertFiles(
  named: readonly string[],
  { to, write = false }: ConvertArguments,
  { input, output, messages }: Terminal,
): Promise<ExitStatus> {
  const files = named.length === 0 ? [standardInput] : named;
  if (write && files.includes(standardInput))
    throw new UnusableError('--write needs files, not standard input');
  // Everything is read before anything is written: an unreadable file leaves the others as they are.
  const sources = await Promise.all(
    files.map(async (file) => ({ file, bytes: await readBytes(file, input) })),
  );
  const results = await withParser((parser) =>
    Promise.all(sources.map((source) => convertWithin(parser, { ...source, to }))),
  );
  for (const { diagnostics } of results) report(diagnostics, messages);
  const valid = results.filter((result) => !hasError(result));
  if (write) for (const result of valid) writeChanged(result, messages);
  else output.write(joined(valid.map(({ text }) => text)));
  if (valid.length < results.length) return 1;
  return results.some(({ converted }) => converted > 0) ? 0 : foundNothing(sources, messages);
}

/** 1 where nothing at all was given, which is no conversion either. */
function foundNothing(
  sources: readonly Pick<ConversionSource, 'file' | 'bytes'>[],
  messages: Writable,
): ExitStatus {
  const where =
    sources.length > 1 ? `${sources.length} files` : sources.map(({ file }) => nameOf(file)).join();
  messages.write(printableLines(`plimsoll: nothing to convert in ${where}\n`));
  return sources.every(({ bytes }) => isBlank(bytes)) ? 1 : 0;
}

/** As what a failed command before a pipe leaves: there was nothing to look at. */
function isBlank(bytes: Uint8Array): boolean {
  return Buffer.from(bytes).toString('utf8').trim() === '';
}

function nameOf(file: string): string {
  return file === standardInput ? 'standard input' : file;
}

/** Converts one file; one that takes too long or too much memory is an error of its own, and stays as it was. */
export async function convertWithin(
  parser: ParserPool,
  source: ConversionSource,
): Promise<ConvertedFile & { readonly file: string }> {
  const { file, bytes } = source;
  const [answer] = await parser.convert([source]);
  if (answer?.kind === 'Parsed') return { file, ...answer.file };
  // Whatever it says, it is a file that was to be converted.
  const { diagnostics } = unparsedPolicyFile({ file, bytes, isInForce: true }, answer?.reason ?? 'no answer');
  return { file, text: '', converted: 0, diagnostics };
}

function hasError({ diagnostics }: ConvertedFile): boolean {
  return diagnostics.some(({ severity }) => severity === 'error');
}

function report(diagnostics: ConvertedFile['diagnostics'], messages: Writable): void {
  for (const { file, line, column, severity, code, message, path, hint } of diagnostics) {
    messages.write(printableLines(`${nameOf(file)}:${line}:${column}: ${severity} ${code}: ${message}\n`));
    if (path.length > 0) messages.write(printableLines(`  at ${pathText(path)}\n`));
    if (hint !== undefined) messages.write(printableLines(`  hint: ${hint.replaceAll('\n', '\n  ')}\n`));
  }
}

function writeChanged(
  { file, text, converted }: ConvertedFile & { readonly file: string },
  messages: Writable,
): void {
  if (converted === 0) return;
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw new UnusableError(`${file} cannot be written: ${fileFault(error, file)}`);
  }
  messages.write(`${file}: ${converted} converted\n`);
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

async function readBytes(file: string, input: Readable): Promise<Uint8Array> {
  try {
    return file === standardInput ? await readInput(input) : readFileSync(file);
  } catch (error) {
    throw new UnusableError(`${file} cannot be read: ${fileFault(error, file)}`);
  }
}

/** Standard input, up to the limit of a file and one byte more, so that too much is recognised. */
async function readInput(input: Readable): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of input as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > defaultYamlLimits.fileBytes) break;
  }
  return Buffer.concat(chunks);
}
