import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { eventually } from '../../../../test/control-plane/poll.ts';
import { LogOutput } from './log-output.ts';

/** Takes at most so many bytes at a time, or refuses with a code. */
class Reader {
  takes: number | string = Infinity;
  readonly pieces: string[] = [];
  readonly told: number[] = [];
  readonly output = new LogOutput({
    send: (bytes) => this.#take(bytes),
    onDropped: (lines) => {
      this.told.push(lines);
      this.output.write(`${lines} dropped\n`);
    },
  });

  get text(): string {
    return this.pieces.join('');
  }

  untilRead(text: string): Promise<true> {
    const probe = (): Promise<true | undefined> => Promise.resolve(this.text === text ? true : undefined);
    return eventually({ description: 'all is read', probe, timeoutMilliseconds: 10_000 });
  }

  #take(bytes: Uint8Array): number {
    if (typeof this.takes === 'string') throw Object.assign(new Error(this.takes), { code: this.takes });
    const taken = bytes.subarray(0, this.takes);
    this.pieces.push(Buffer.from(taken).toString('latin1'));
    return taken.length;
  }
}

const mebibyte = `${'x'.repeat(1024 * 1024 - 1)}\n`;

describe('the output of the log', () => {
  it('writes the lines of a turn together, and a long turn in pieces', async () => {
    const reader = new Reader();
    for (const line of ['a\n', 'b\n']) reader.output.write(line);
    expect(reader.pieces).toEqual([]);
    await nextTurn();
    expect(reader.pieces).toEqual(['a\nb\n']);
    const line = `${'x'.repeat(39_999)}\n`;
    for (let count = 0; count < 3; count += 1) reader.output.write(line);
    await nextTurn();
    expect(reader.pieces.slice(1)).toEqual([line, line, line]);
  });

  it.each(['EAGAIN', 'ENOSPC'])('keeps all in order where what is to take it answers %s', async (code) => {
    const reader = new Reader();
    reader.takes = 3;
    reader.output.write('first\n');
    reader.output.flushSync();
    expect(reader.pieces).toEqual(['fir', 'st\n']);
    reader.takes = code;
    reader.output.write('second\n');
    await nextTurn();
    reader.output.write('third\n');
    await nextTurn();
    reader.takes = 3;
    await reader.untilRead('first\nsecond\nthird\n');
    expect(reader.output.droppedLines).toBe(0);
  });

  it('drops lines beyond 8 MiB, and tells how many once half of what waits is read', async () => {
    const reader = new Reader();
    reader.takes = 'EAGAIN';
    for (let count = 0; count < 12; count += 1) reader.output.write(mebibyte);
    await nextTurn();
    expect(reader.output.droppedLines).toBe(4);
    expect(reader.told).toEqual([]);
    reader.takes = Infinity;
    await reader.untilRead(`${mebibyte.repeat(8)}4 dropped\n`);
    reader.output.write('next\n');
    await reader.untilRead(`${mebibyte.repeat(8)}4 dropped\nnext\n`);
    expect(reader.told).toEqual([4]);
  });

  it('tells at the end what was dropped', () => {
    const reader = new Reader();
    for (let count = 0; count < 9; count += 1) reader.output.write(mebibyte);
    reader.output.flushSync();
    expect(reader.text).toBe(`${mebibyte.repeat(8)}1 dropped\n`);
  });

  it('sends nothing more to a reader that has gone, and counts what it does not get', async () => {
    const reader = new Reader();
    reader.takes = 'EPIPE';
    reader.output.write('a\n');
    await nextTurn();
    reader.takes = Infinity;
    reader.output.write('b\n');
    reader.output.flushSync();
    expect(reader.pieces).toEqual([]);
    expect(reader.output.droppedLines).toBe(2);
  });
});
