import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';

/** Where the build is, also of a controller that runs from its sources, as the tests do. */
export const builtConsoleFolder = join(
  import.meta.dirname,
  import.meta.filename.endsWith('.js') ? '../../../../..' : '../../../..',
  'dist/console',
);

/** The texts of the console's queries, which it asks by their hashes from the first time on. */
export function consoleDocuments(): readonly string[] {
  try {
    return JSON.parse(readFileSync(join(builtConsoleFolder, 'documents.json'), 'utf8')) as readonly string[];
  } catch {
    // Not built: its queries are then learned as any other client's.
    return [];
  }
}

/** A file of the console as it is sent. */
export interface ConsoleFile {
  readonly bytes: Buffer;
  readonly type: string;
  /** Absent: the bytes are the file itself. */
  readonly encoding?: 'br' | 'gzip';
}

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** The smaller first. */
const encodings = [
  { encoding: 'br', ending: '.br' },
  { encoding: 'gzip', ending: '.gz' },
] as const;

/** The console as `npm run build` made it: only files that were there at the first question are ever read. */
export class BuiltConsole {
  readonly #folder: string;
  #names: Promise<ReadonlySet<string>> | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** A file by its path in the build, compressed as the client accepts it; undefined: there is none. */
  async load(path: string, acceptEncoding = ''): Promise<ConsoleFile | undefined> {
    const type = types[extname(path)];
    const names = await this.#listed();
    if (type === undefined || !names.has(path)) return undefined;
    const accepted = new Set(acceptEncoding.split(',').map((part) => part.trim().split(';')[0]));
    const found = encodings.find(
      ({ encoding, ending }) => accepted.has(encoding) && names.has(`${path}${ending}`),
    );
    const bytes = await readFile(join(this.#folder, `${path}${found?.ending ?? ''}`));
    return { bytes, type, ...(found === undefined ? {} : { encoding: found.encoding }) };
  }

  #listed(): Promise<ReadonlySet<string>> {
    this.#names ??= listFiles(this.#folder);
    return this.#names;
  }
}

async function listFiles(folder: string): Promise<ReadonlySet<string>> {
  const [files, assets] = await Promise.all(
    [folder, join(folder, 'assets')].map((each) => readdir(each).catch(() => [])),
  );
  return new Set([...(files ?? []), ...(assets ?? []).map((name) => `assets/${name}`)]);
}
