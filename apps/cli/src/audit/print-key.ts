import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { codeOf, messageOf } from '#kernel';
import { parseVerificationKey, publicKeyPem } from '#ledger';
import { UnusableError } from '../unusable-error.ts';

/**
 * Prints the public key that the controller has written into its data folder.
 *
 * @throws UnusableError
 */
export async function printKey(dataFolder: string, output: Writable): Promise<0> {
  const file = join(dataFolder, 'checkpoint-key.pub');
  try {
    output.write(publicKeyPem(parseVerificationKey(await readFile(file, 'utf8'))));
    return 0;
  } catch (error) {
    const hint =
      codeOf(error) === 'ENOENT'
        ? '; --data-folder names the dataFolder of a controller that has been started'
        : '';
    throw new UnusableError(`${file}: ${messageOf(error)}${hint}`);
  }
}
