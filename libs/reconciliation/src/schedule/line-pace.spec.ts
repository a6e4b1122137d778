import { beforeEach, describe, expect, it } from '@jest/globals';
import { flushMicrotasks } from '../testing/a-world.ts';
import { LinePace } from './line-pace.ts';

describe('LinePace', () => {
  let pace: LinePace;
  let reached: string[];

  beforeEach(() => {
    pace = new LinePace(2);
    reached = [];
  });

  async function reach(line: number, at: number): Promise<void> {
    void pace.reach(line, at).then(() => reached.push(`${line} at ${at}`));
    await flushMicrotasks();
  }

  it('lets a line be one namespace before the other', async () => {
    await reach(0, 0);
    await reach(1, 0);
    await reach(0, 1);
    await reach(0, 2);
    expect(reached).toEqual(['0 at 0', '1 at 0', '0 at 1']);
    await reach(1, 1);
    expect(reached).toEqual(['0 at 0', '1 at 0', '0 at 1', '1 at 1', '0 at 2']);
  });

  it('waits for no line that has no room, until it has', async () => {
    await reach(1, 0);
    await reach(0, 9);
    expect(reached).toEqual(['1 at 0']);
    pace.letGo(1);
    await flushMicrotasks();
    expect(reached).toEqual(['1 at 0', '0 at 9']);
    pace.rejoin(1);
    await reach(0, 10);
    expect(reached).toHaveLength(2);
    await reach(1, 20);
    expect(reached).toEqual(['1 at 0', '0 at 9', '0 at 10']);
    await reach(0, 19);
    expect(reached.slice(3).toSorted()).toEqual(['0 at 19', '1 at 20']);
  });
});
