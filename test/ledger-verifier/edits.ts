import type { Random } from '../support/random.ts';

/** The files of an export by name. */
export type ExportFiles = ReadonlyMap<string, Buffer>;

/** An export that somebody has changed. */
export interface Edit {
  readonly description: string;
  readonly files: ExportFiles;
  /** `stream#number` of the first entry that is wrong; `null` where no stream can be named for certain. */
  readonly expected: string | null;
}

/** What is done to an export. */
export const editNames = [
  'bit',
  'drop',
  'swap',
  'double',
  'move',
  'stream',
  'tail',
  'shrink',
  'headBit',
  'manifestBit',
  'sealedBit',
  'noteBit',
  'everywhere',
] as const;
export type EditName = (typeof editNames)[number];

const entriesFile = 'entries-000001.ndjson';
const newline = 10;

interface Entry {
  readonly line: Buffer;
  readonly stream: string;
  readonly seq: bigint;
  readonly hash: string;
  /** It stands for entries that have been deleted. */
  readonly isSegment: boolean;
}

/** Changes an export at random. */
export function editExport(files: ExportFiles, name: EditName, random: Random): Edit {
  if (name === 'headBit') return flippedBit(files, 'heads.ndjson', random);
  if (name === 'manifestBit') return flippedBit(files, 'manifest.json', random);
  if (name === 'sealedBit') return flippedBit(files, 'sealed.ndjson', random);
  if (name === 'noteBit') return flippedBit(files, 'checkpoint.note', random);
  if (name === 'everywhere') return withoutStream(files, random);
  if (name === 'shrink') return withLongerSegment(files, random);
  const entries = entriesOf(files);
  const index = random.below(entries.length);
  const { lines, wrong } = edits[name](entries, index, random);
  return {
    description: `${name} of line ${index + 1}`,
    files: new Map(files).set(
      entriesFile,
      Buffer.concat(lines.flatMap((line) => [line, Buffer.of(newline)])),
    ),
    expected: wrong,
  };
}

interface Edited {
  readonly lines: readonly Buffer[];
  readonly wrong: string;
}

type EntryEdit = (entries: readonly Entry[], index: number, random: Random) => Edited;

const edits: Readonly<
  Record<
    Exclude<EditName, 'headBit' | 'manifestBit' | 'sealedBit' | 'noteBit' | 'everywhere' | 'shrink'>,
    EntryEdit
  >
> = {
  bit: (entries, index, random) => ({
    lines: linesOf(entries).with(index, withFlippedBit(entryAt(entries, index).line, random).bytes),
    wrong: idOf(entryAt(entries, index)),
  }),
  drop: (entries, index) => ({
    lines: linesOf(entries.toSpliced(index, 1)),
    wrong: idOf(entryAt(entries, index)),
  }),
  swap: (entries, index, random) => {
    const other = (index + 1 + random.below(entries.length - 1)) % entries.length;
    const [one, two] = [entryAt(entries, index), entryAt(entries, other)];
    return {
      lines: linesOf(entries.with(index, two).with(other, one)),
      wrong: wrongAfter(entries, Math.min(index, other), entryAt(entries, Math.max(index, other))),
    };
  },
  double: (entries, index) => {
    const entry = entryAt(entries, index);
    return {
      lines: linesOf(entries.toSpliced(index, 0, entry)),
      wrong: idOf({ stream: entry.stream, seq: entry.seq + 1n }),
    };
  },
  move: (entries, index, random) => {
    const moved = entryAt(entries, index);
    const to = (index + 1 + random.below(entries.length - 1)) % entries.length;
    const wrong = to > index ? idOf(moved) : wrongAfter(entries, to, moved);
    return { lines: linesOf(entries.toSpliced(index, 1).toSpliced(to, 0, moved)), wrong };
  },
  stream: (entries, index) => {
    const { stream } = entryAt(entries, index);
    return {
      lines: linesOf(entries.filter((entry) => entry.stream !== stream)),
      wrong: idOf({ stream, seq: 1n }),
    };
  },
  tail: (entries, index) => {
    const { stream, seq } = entryAt(entries, index);
    return {
      lines: linesOf(entries.filter((entry) => entry.stream !== stream || entry.seq < seq)),
      wrong: idOf({ stream, seq }),
    };
  },
};

/** Which entry is wrong when another stands where the one at `index` should. */
function wrongAfter(entries: readonly Entry[], index: number, instead: Entry): string {
  const expected = entryAt(entries, index);
  const before = entries[index - 1];
  // An entry of the stream that has just ended goes on after its head.
  if (before !== undefined && before.stream !== expected.stream && instead.stream === before.stream)
    return idOf({ stream: before.stream, seq: before.seq + 1n });
  return idOf(expected);
}

/** Leaves a stream out of entries, heads and counts alike, which only a checkpoint tells. */
function withoutStream(files: ExportFiles, random: Random): Edit {
  const entries = entriesOf(files);
  const { stream } = random.pick(entries);
  const kept = entries.filter((entry) => entry.stream !== stream);
  const heads = String(files.get('heads.ndjson')).replace(new RegExp(`^.*"stream":"${stream}"}\\n`, 'm'), '');
  const manifest = JSON.parse(String(files.get('manifest.json'))) as Record<string, unknown>;
  const streams = new Set(kept.map((entry) => entry.stream)).size;
  const changed = { ...manifest, entries: kept.length, streams };
  const edited = new Map(files)
    .set(
      entriesFile,
      Buffer.from(
        linesOf(kept)
          .map((line) => `${String(line)}\n`)
          .join(''),
      ),
    )
    .set('heads.ndjson', Buffer.from(heads))
    .set('manifest.json', Buffer.from(JSON.stringify(changed)));
  const isSealed = String(files.get('sealed.ndjson') ?? '').includes(`"stream":"${stream}"`);
  return {
    description: `${stream} left out everywhere`,
    files: edited,
    expected: isSealed ? idOf({ stream, seq: 1n }) : null,
  };
}

/** Deletes entries at the beginning of a stream, as a retention that recorded nothing would: the chain still fits. */
function withLongerSegment(files: ExportFiles, random: Random): Edit {
  const entries = entriesOf(files);
  const { stream, seq, hash } = random.pick(entries.filter(({ isSegment }) => !isSegment));
  const segment = Buffer.from(`{"expired":{"hash":"${hash}","last":"${seq}"},"stream":"${stream}"}`);
  const lines = entries
    .filter((entry) => entry.stream !== stream || entry.seq >= seq)
    .map((entry) => (entry.stream === stream && entry.seq === seq ? segment : entry.line));
  const manifest = JSON.parse(String(files.get('manifest.json'))) as {
    readonly filter: { readonly namespaces: unknown };
  };
  // The entry that records it is not exported with some namespaces.
  const isTold = manifest.filter.namespaces === null;
  return {
    description: `${stream} deleted up to ${seq}`,
    files: new Map(files)
      .set(entriesFile, Buffer.concat(lines.flatMap((line) => [line, Buffer.of(newline)])))
      .set('manifest.json', Buffer.from(JSON.stringify({ ...manifest, entries: lines.length }))),
    expected: isTold ? idOf({ stream, seq: 1n }) : null,
  };
}

function flippedBit(files: ExportFiles, file: string, random: Random): Edit {
  if (!files.has(file)) return flippedBit(files, 'heads.ndjson', random);
  const { bytes, at } = withFlippedBit(files.get(file) ?? Buffer.alloc(0), random);
  return {
    description: `bit of byte ${at} of ${file}`,
    files: new Map(files).set(file, bytes),
    expected: null,
  };
}

function withFlippedBit(bytes: Buffer, random: Random): { readonly bytes: Buffer; readonly at: number } {
  const at = random.below(bytes.length);
  const flipped = Buffer.from(bytes);
  flipped[at] = (bytes[at] ?? 0) ^ (1 << random.below(8));
  return { bytes: flipped, at };
}

function entriesOf(files: ExportFiles): readonly Entry[] {
  const bytes = files.get(entriesFile) ?? Buffer.alloc(0);
  return bytes
    .toString('utf8')
    .trimEnd()
    .split('\n')
    .map((text) => {
      const line = JSON.parse(text) as {
        readonly stream: string;
        readonly seq?: string;
        readonly hash?: string;
        readonly expired?: { readonly last: string; readonly hash: string };
      };
      const { stream, expired } = line;
      // The line of a segment stands for its last entry.
      const seq = BigInt(line.seq ?? expired?.last ?? 0);
      const hash = line.hash ?? expired?.hash ?? '';
      return { line: Buffer.from(text), stream, seq, hash, isSegment: expired !== undefined };
    });
}

function entryAt(entries: readonly Entry[], index: number): Entry {
  const entry = entries[index];
  if (entry === undefined) throw new Error(`there is no entry ${index}`);
  return entry;
}

function linesOf(entries: readonly Entry[]): Buffer[] {
  return entries.map(({ line }) => line);
}

function idOf({ stream, seq }: Pick<Entry, 'stream' | 'seq'>): string {
  return `${stream}#${seq}`;
}
