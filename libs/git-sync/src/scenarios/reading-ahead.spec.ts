import { beforeEach, describe, expect, it } from '@jest/globals';
import { InProcessParser } from '../fetch/in-process-parser.ts';
import { MemoryBench } from '../testing/memory-bench.ts';
import { policyYaml } from '../testing/policy-yaml.ts';

describe('reading ahead of the first look', () => {
  let bench: MemoryBench;
  let parsed: string[];

  beforeEach(() => {
    bench = new MemoryBench();
    parsed = [];
    const parser = new InProcessParser(bench.clock);
    const ports = {
      ...bench.ports(),
      parser: Object.assign(Object.create(parser) as InProcessParser, {
        parse: (...[batch]: Parameters<InProcessParser['parse']>) => {
          parsed.push(...batch.map(({ file }) => file));
          return parser.parse(batch);
        },
      }),
    };
    bench.ports = () => ports;
    bench.sync = bench.source(bench.configuration);
    bench.origin.commit('A commit', { 'a.yaml': policyYaml('a'), 'b.yaml': policyYaml('b') });
  });

  it('parses what the look then finds known, and stores, tells and puts into force nothing', async () => {
    await bench.sync.readAhead();
    expect(parsed).toEqual(['a.yaml', 'b.yaml']);
    expect(bench.bounds()).toEqual([]);
    expect(await bench.store.listSources()).toEqual([]);
    expect(bench.journal.entries).toEqual([]);
    expect(bench.sync.lastSync).toBeNull();
    expect((await bench.look()).result).toBe('active');
    expect(parsed).toHaveLength(2);
    expect(bench.bounds()).toHaveLength(2);
  });

  it('leaves what is pushed after it to the look', async () => {
    await bench.sync.readAhead();
    await bench.commit({ 'b.yaml': policyYaml('c') });
    expect(parsed).toEqual(['a.yaml', 'b.yaml', 'b.yaml']);
    expect(bench.bounds()).toHaveLength(2);
  });

  it('is waited for by a look that begins meanwhile, which parses nothing again', async () => {
    const reading = bench.sync.readAhead();
    const outcome = await bench.look();
    await reading;
    expect(outcome.result).toBe('active');
    expect(parsed).toHaveLength(2);
  });

  it('fails the look that waits for it, and no later one', async () => {
    bench.origin.isDown = true;
    const reading = bench.sync.readAhead();
    const looking = bench.look();
    await expect(reading).rejects.toThrow();
    expect((await looking).message).toMatch(/^Unreachable: /);
    bench.origin.isDown = false;
    expect((await bench.look()).result).toBe('active');
  });
});
