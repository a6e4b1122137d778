import { describe, expect, it } from '@jest/globals';
import { MemoryBench } from '../testing/memory-bench.ts';

describe('the lines that diagnostics are about', () => {
  it('are those of the commit, whatever came after it', async () => {
    const bench = new MemoryBench();
    const rejected = await bench.commit({ 'shop/web.yaml': 'kind: Wrong\r\nspec: {}\n' });
    await bench.commit({ 'shop/web.yaml': 'other: text\n' });
    const places = [
      { file: 'shop/web.yaml', line: 2 },
      { file: 'shop/web.yaml', line: 9 },
      { file: 'shop/none.yaml', line: 1 },
      { file: 'shop/web.yaml', line: 1 },
    ];
    expect(await bench.sync.loadLines(rejected, places)).toEqual(['spec: {}', null, null, 'kind: Wrong']);
  });

  it('are cut, and not read from a file that is too large, or of a commit that is not there', async () => {
    const bench = new MemoryBench();
    const hash = await bench.commit({
      'shop/long.yaml': `a: ${'x'.repeat(1_000)}\n`,
      'shop/large.yaml': '# \n'.repeat(400_000),
    });
    const [long, large] = await bench.sync.loadLines(hash, [
      { file: 'shop/long.yaml', line: 1 },
      { file: 'shop/large.yaml', line: 1 },
    ]);
    expect(long).toHaveLength(400);
    expect(large).toBeNull();
    expect(await bench.sync.loadLines('none', [{ file: 'shop/long.yaml', line: 1 }])).toEqual([null]);
    expect(await bench.sync.loadLines(hash, [])).toEqual([]);
  });
});
