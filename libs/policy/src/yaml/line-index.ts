import type { Position } from './yaml-tree.ts';

/** Finds lines and columns in a text; its lines are looked for when the first is asked for. */
export class LineIndex {
  readonly #text: string;
  #starts: readonly number[] | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  /**
   * The position of an offset, which is brought inside the text. Both count from 1, columns in UTF-16 units; a byte order
   * mark before the first line is no column of it.
   */
  at(offset: number): Position {
    const inside = Math.min(Math.max(0, offset), this.#text.length);
    const starts = (this.#starts ??= startsOf(this.#text));
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((starts[middle] ?? 0) <= inside) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: Math.max(0, inside - (starts[low] ?? 0)) + 1 };
  }
}

function startsOf(text: string): readonly number[] {
  const starts = [text.startsWith('\ufeff') ? 1 : 0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}
