import { readFile } from 'node:fs/promises';
import { parseDatabaseUrl } from '#adapter-sql';
import { AdapterError, fileFault } from '#kernel';
import { UnusableError } from '../unusable-error.ts';

/** How a command reaches the database. */
export interface DatabaseArguments {
  readonly database: string;
  readonly passwordFile?: string;
}

/** The URL with the password of its file, which stands in no command line. @throws UnusableError */
export async function withPassword(url: string, file: string | undefined): Promise<string> {
  if (file === undefined) return url;
  if (parseDatabaseUrl(url).dialect === 'sqlite')
    throw new UnusableError('--password-file is for a postgres:// URL');
  const parsed = new URL(url);
  try {
    // A URL's own encoding leaves a percent sign as it is.
    parsed.password = encodeURIComponent((await readFile(file, 'utf8')).trim());
  } catch (error) {
    throw new UnusableError(`cannot read ${file}: ${fileFault(error, file)}`);
  }
  return parsed.href;
}

/** What a database or a disk that fails is for a command. */
export function usable(error: unknown): unknown {
  if (error instanceof AdapterError) return new UnusableError(error.message);
  const isOfSystem = error instanceof Error && 'syscall' in error;
  return isOfSystem ? new UnusableError(fileFault(error)) : error;
}
