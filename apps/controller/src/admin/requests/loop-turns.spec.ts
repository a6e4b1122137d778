import { describe, expect, it } from '@jest/globals';
import { LoopTurns } from './loop-turns.ts';

describe('turns of the event loop', () => {
  it('are taken one at a time, in the order of the questions, each with a turn after it', async () => {
    const seen: string[] = [];
    const turns = new LoopTurns({
      nextTurn: () => {
        seen.push('turn');
        return Promise.resolve();
      },
    });
    const question = async (name: string): Promise<void> => {
      for (const part of [1, 2]) {
        await turns.take(async () => {
          seen.push(`${name}${part} begins`);
          await Promise.resolve();
          seen.push(`${name}${part} ends`);
        });
      }
    };
    await Promise.all([question('a'), question('b')]);
    const parts = ['a1', 'b1', 'a2', 'b2'];
    expect(seen).toEqual(parts.flatMap((part) => [`${part} begins`, `${part} ends`, 'turn']));
  });

  it('go on after a piece that failed', async () => {
    const turns = new LoopTurns({ nextTurn: () => Promise.resolve() });
    await expect(turns.take(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    await expect(turns.take(() => Promise.resolve(1))).resolves.toBe(1);
  });
});
