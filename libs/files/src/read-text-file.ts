import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/** A bundle of every public authority takes a quarter of it. */
const usualMaximumBytes = 1024 * 1024;

/**
 * Reads a file that a person has named, as UTF-8: of certificates, keys, tokens or headers. A pipe or a device, which might
 * never end or never begin, is refused and not waited for.
 *
 * @throws Error of the file system, or in words why it is not read; never with what is in it
 */
export async function readTextFile(file: string, maximumBytes = usualMaximumBytes): Promise<string> {
  // A pipe that nobody writes to would keep its opener waiting.
  await using handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
  const stat = await handle.stat();
  // Left to the reading, which fails for a folder with its own code.
  if (!stat.isFile() && !stat.isDirectory()) throw new Error('it is no regular file');
  const bytes = await readAtMost(handle, maximumBytes + 1);
  if (bytes.length <= maximumBytes) return bytes.toString('utf8');
  throw new Error(`it has more than ${maximumBytes} bytes`);
}

/** Its size says nothing of a file that grows, or that the system makes while it is read. */
async function readAtMost(handle: FileHandle, maximumBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  while (length < maximumBytes) {
    const chunk = Buffer.allocUnsafe(Math.min(maximumBytes - length, 65_536));
    const { bytesRead } = await handle.read(chunk);
    if (bytesRead === 0) break;
    chunks.push(chunk.subarray(0, bytesRead));
    length += bytesRead;
  }
  return Buffer.concat(chunks);
}
