import type { FileContent } from '#repository';

/** Policies are a few kB each: this holds some ten thousand, and the rest is read from disk again. */
const maximumKeptBytes = 64 * 1024 * 1024;

/** Keeps the bytes of a commit's files for the next commit, of which most are the same. */
export class ContentCache {
  #contents = new Map<string, FileContent>();
  #bytes = 0;

  /** What is known of these blobs; anything else is forgotten. */
  keep(ids: ReadonlySet<string>): Map<string, FileContent> {
    const kept = new Map([...this.#contents].filter(([id]) => ids.has(id)));
    this.#contents = new Map(kept);
    this.#bytes = [...kept.values()].reduce((sum, content) => sum + sizeOf(content), 0);
    return kept;
  }

  /** Keeps a blob, unless it is full. */
  add(id: string, content: FileContent): void {
    if (this.#bytes + sizeOf(content) > maximumKeptBytes) return;
    this.#contents.set(id, content);
    this.#bytes += sizeOf(content);
  }
}

function sizeOf(content: FileContent): number {
  return content.kind === 'Bytes' ? content.bytes.length : 0;
}
