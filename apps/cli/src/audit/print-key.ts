import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { codeOf, fileFault } from '#kernel';
import { parseVerificationKey, publicKeyPem } from '#ledger';
import { UnusableError } from '../unusable-error.ts';

/** Where the key is looked for. */
export interface KeyArguments {
  readonly dataFolder: string;
  /** The controller's own key, public or private, in the place of what its data folder has. */
  readonly keyFile?: string;
}

/**
 * Prints the public key that the controller has written into its data folder, or that belongs to its key.
 *
 * @throws UnusableError
 */
export async function printKey({ dataFolder, keyFile }: KeyArguments, output: Writable): Promise<0> {
  const file = keyFile ?? join(dataFolder, 'checkpoint-key.pub');
  try {
    output.write(publicKeyPem(parseVerificationKey(await readFile(file, 'utf8'))));
    return 0;
  } catch (error) {
    if (codeOf(error) === 'ENOENT')
      throw new UnusableError(`there is no key ${file}${keyFile === undefined ? whereKeys : ''}`);
    throw new UnusableError(`${file}: ${fileFault(error, file)}`);
  }
}

const whereKeys =
  ': --data-folder names the dataFolder of a controller that has been started, --key-file its checkpoints.keyFile; databases and exports have none';
