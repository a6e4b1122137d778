import { databaseError } from '../connection/database-error.ts';
import { dictionary1 } from './dictionary-1.ts';

/** By version. Entries keep the one that they were packed with, so none is ever removed. */
const encoded: ReadonlyMap<bigint, string> = new Map([[1n, dictionary1]]);

/** The version that new entries are packed with. */
export const newestDictionary = 1n;

const decoded = new Map<bigint, Buffer>();

/** The dictionary of a version. @throws AdapterError `DatabaseCorrupt` where this release does not have it. */
export function dictionaryOf(version: bigint): Buffer {
  const known = decoded.get(version);
  if (known !== undefined) return known;
  const text = encoded.get(version);
  if (text === undefined) {
    throw databaseError(
      'DatabaseCorrupt',
      `dictionary ${version} is not of this release; a newer one has it`,
    );
  }
  const bytes = Buffer.from(text, 'base64');
  decoded.set(version, bytes);
  return bytes;
}
