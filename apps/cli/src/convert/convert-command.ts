import { readFileSync, writeFileSync } from 'node:fs';
import { convertFile, type ConversionTarget } from '#policy';

/** What the command line holds, beside the files. */
export interface ConvertArguments {
  readonly to: ConversionTarget;
  readonly write?: boolean;
}

/** Runs `plimsoll convert` and sets the exit status. */
export function runConvert(files: readonly string[], { to, write }: ConvertArguments): void {
  process.exitCode = 0;
  for (const file of files) {
    const bytes = readBytes(file);
    if (bytes === undefined) return;
    const { text, converted, notes, diagnostics } = convertFile({ file, bytes, to });
    for (const { line, column, code, message } of diagnostics)
      process.stderr.write(`${file}:${line}:${column}: error ${code}: ${message}\n`);
    if (diagnostics.length > 0) process.exitCode = 1;
    for (const { document, note } of notes) process.stderr.write(`${file}: ${document}: ${note}\n`);
    if (write !== true) process.stdout.write(text);
    else if (converted > 0 && diagnostics.length === 0) writeFileSync(file, text);
  }
}

function readBytes(file: string): Uint8Array | undefined {
  try {
    return readFileSync(file);
  } catch (error) {
    process.stderr.write(
      `plimsoll: ${file} cannot be read: ${error instanceof Error ? error.message : String(error)}\n`,
    );
    process.exitCode = 2;
    return undefined;
  }
}
