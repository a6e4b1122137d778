import { describe, expect, it } from '@jest/globals';
import { LabelIndex } from './label-index.ts';
import { parseLabelSelector } from './parse-label-selector.ts';

interface Thing {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
}

function select(index: LabelIndex<Thing>, selector: string): readonly string[] {
  const parsed = parseLabelSelector(selector);
  if (!parsed.ok) throw new Error(parsed.error);
  return index
    .select(parsed.value)
    .map(({ name }) => name)
    .toSorted();
}

describe('LabelIndex', () => {
  const web: Thing = { name: 'web', labels: { app: 'shop', tier: 'web' } };
  const api: Thing = { name: 'api', labels: { app: 'shop', tier: 'api' } };
  const bare: Thing = { name: 'bare' };

  it('finds what matches, by any kind of requirement', () => {
    const index = new LabelIndex<Thing>();
    for (const thing of [web, api, bare]) index.add(thing);
    expect(select(index, ' ')).toEqual(['api', 'bare', 'web']);
    expect(select(index, 'app=shop')).toEqual(['api', 'web']);
    expect(select(index, 'app=shop,tier=web')).toEqual(['web']);
    expect(select(index, 'tier in (web,api)')).toEqual(['api', 'web']);
    expect(select(index, '!app')).toEqual(['bare']);
    expect(select(index, 'app=other')).toEqual([]);
  });

  it('follows what comes and goes after a key was indexed', () => {
    const index = new LabelIndex<Thing>();
    index.add(web);
    expect(select(index, 'app=shop')).toEqual(['web']);
    index.add(api);
    expect(select(index, 'app=shop')).toEqual(['api', 'web']);
    index.remove(web);
    expect(select(index, 'app=shop')).toEqual(['api']);
    index.remove(api);
    expect(index.isEmpty).toBe(true);
  });

  it('finds by more keys than it indexes', () => {
    const index = new LabelIndex<Thing>();
    const labels = Object.fromEntries(Array.from({ length: 50 }, (_, key) => [`k${key}`, 'v']));
    index.add({ name: 'many', labels });
    index.add(bare);
    for (const key of Object.keys(labels)) expect(select(index, `${key}=v`)).toEqual(['many']);
  });
});
