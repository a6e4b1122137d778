import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeFolderSync } from '#files';
import { codeOf, fileFault } from '#kernel';
import { UnusableError } from '../unusable-error.ts';

/** A file to write below a folder. */
export interface NewPolicyFile {
  readonly folder: string;
  readonly path: string;
  readonly text: string;
  /** What becomes of a file that is there and says something else. */
  readonly mode: 'Keep' | 'Overwrite';
}

/** `Differs`: a file is there, says something else, and stays. */
export type WriteOutcome = 'Written' | 'Unchanged' | 'Differs';

/**
 * Writes a file, and its folders; one that says the same already is left alone, so that a second run changes nothing.
 *
 * @throws UnusableError where the file cannot be read or written
 */
export function writePolicyFile({ folder, path, text, mode }: NewPolicyFile): WriteOutcome {
  const file = join(folder, path);
  try {
    makeFolderSync(dirname(file));
    const present = readIfThere(file);
    if (present === text) return 'Unchanged';
    if (present !== undefined && mode === 'Keep') return 'Differs';
    writeFileSync(file, text);
    return 'Written';
  } catch (error) {
    throw new UnusableError(`${file} cannot be written: ${fileFault(error, file)}`);
  }
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
