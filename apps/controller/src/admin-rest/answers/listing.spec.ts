import { describe, expect, it } from '@jest/globals';
import type { PageRequest } from '../../admin/requests/page.ts';
import { linesOf, listing, pageOf, pageOfAll } from './listing.ts';

const all = Array.from({ length: 250 }, (_, index) => ({ name: `n-${String(index).padStart(3, '0')}` }));

const cursor = (name: string): string => Buffer.from(`sources:${name}`).toString('base64url');

describe('a list', () => {
  const asked: PageRequest[] = [];
  const names = listing(
    { first: 20 },
    (page) => {
      asked.push(page);
      return pageOfAll(all, page, { list: 'sources', keyOf: ({ name }) => name });
    },
    ({ name }) => name,
  );

  it('is read as lines page by page, each when the one before has been taken', async () => {
    const lines = await linesOf(names);
    expect(asked).toHaveLength(1);
    const taken: string[] = [];
    for (let count = 1; count <= 3; count += 1) {
      taken.push((await lines.next()).value ?? '');
      expect(asked).toHaveLength(count);
    }
    expect(await lines.next()).toEqual({ done: true, value: undefined });
    expect(asked.map(({ after }) => after)).toEqual([undefined, cursor('n-099'), cursor('n-199')]);
    expect(taken.join('')).toBe(all.map(({ name }) => `"${name}"\n`).join(''));
  });

  it('is read no further once its reader may not read it any more', async () => {
    let isAllowed = true;
    const lines = await linesOf(names, () =>
      isAllowed ? Promise.resolve() : Promise.reject(new Error('revoked')),
    );
    await lines.next();
    await lines.next();
    const read = asked.length;
    isAllowed = false;
    await expect(lines.next()).rejects.toThrow('revoked');
    expect(asked).toHaveLength(read);
  });

  it('names in Link where it begins and where it goes on, with what narrows it', async () => {
    const { body, link } = await pageOf(names, '/api/v1/names?first=20&namespace=a%26b&after=x');
    expect(body.next).toBe(cursor('n-019'));
    expect(link).toBe(
      '</api/v1/names?first=20&namespace=a%26b>; rel="first", ' +
        `</api/v1/names?first=20&namespace=a%26b&after=${cursor('n-019')}>; rel="next"`,
    );
  });

  it('goes on where an item was that has gone', () => {
    const left = all.filter(({ name }) => name !== 'n-010');
    const page = pageOfAll(
      left,
      { first: 1, after: cursor('n-010') },
      { list: 'sources', keyOf: ({ name }) => name },
    );
    expect(page.items.map(({ item }) => item.name)).toEqual(['n-011']);
  });

  it('takes no cursor of another list', () => {
    const { items } = pageOfAll(all, { first: 1 }, { list: 'sources', keyOf: ({ name }) => name });
    const elsewhere = (): unknown =>
      pageOfAll(all, { first: 1, after: items[0]!.cursor }, { list: 'tokens', keyOf: ({ name }) => name });
    expect(elsewhere).toThrow('which is no cursor of this list');
  });
});
