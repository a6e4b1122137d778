import { open } from 'node:fs/promises';
import { fileFault } from '#kernel';
import { UnusableError } from '../unusable-error.ts';

/** Longer than any token that a controller reads. */
const maximumBytes = 16_384;

/** The token that a file holds. @throws UnusableError */
export async function readToken(file: string): Promise<string> {
  let text: string;
  try {
    text = await beginningOf(file);
  } catch (error) {
    throw new UnusableError(`cannot read ${file}: ${fileFault(error, file)}`);
  }
  return checkedToken(text, file);
}

/** A text that can be sent as a token. @throws UnusableError */
export function checkedToken(text: string, from: string): string {
  const token = text.trim();
  if (/^[!-~]+$/.test(token) && token.length < maximumBytes) return token;
  throw new UnusableError(`${from} holds no token${token === '' ? ': it is empty' : ''}`);
}

/** A file may be a device that never ends. */
async function beginningOf(file: string): Promise<string> {
  const handle = await open(file, 'r');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(maximumBytes), 0, maximumBytes, null);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await handle.close();
  }
}
