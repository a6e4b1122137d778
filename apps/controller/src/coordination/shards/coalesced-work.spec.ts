import { describe, expect, it } from '@jest/globals';
import { CoalescedWork } from './coalesced-work.ts';

describe('work that is asked for again and again', () => {
  it('runs one at a time, and once more for all who asked meanwhile', async () => {
    const works: (() => void)[] = [];
    const work = new CoalescedWork(() => new Promise<void>((resolve) => works.push(resolve)));
    const asked = [work.run(), work.run(), work.run()];
    expect(works).toHaveLength(1);
    works[0]?.();
    await new Promise(setImmediate);
    expect(works).toHaveLength(2);
    works[1]?.();
    await Promise.all(asked);
    expect(works).toHaveLength(2);
  });

  it.each(Array.from({ length: 8 }, (_, turns) => turns))(
    'is done again for who asks %i turns after it was done',
    async (turns) => {
      const done = Promise.withResolvers<undefined>();
      let asked = 0;
      let begun = 0;
      const work = new CoalescedWork(() => {
        begun = asked;
        return begun === 0 ? done.promise : Promise.resolve();
      });
      void work.run();
      done.resolve(undefined);
      for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
      asked = 1;
      await work.run();
      expect(begun).toBe(1);
    },
  );

  it('begins nothing once it has ended', async () => {
    let begun = 0;
    const work = new CoalescedWork(() => Promise.resolve((begun += 1)));
    const running = work.run();
    void work.run();
    await Promise.all([running, work.end()]);
    await work.run();
    expect(begun).toBe(1);
  });
});
