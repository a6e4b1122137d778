import { describe, expect, it } from '@jest/globals';
import type { PullRequest } from '#git-sync';
import { PullRequestLookup } from './pull-request-lookup.ts';

const known: PullRequest = { number: 12, author: 'alex', approvers: ['ada'], verified: true };

describe('a lookup of pull requests', () => {
  it('asks the store once for all commits of an answer, at most 100 at a time', async () => {
    const asked: number[] = [];
    const lookup = new PullRequestLookup({
      load: (commits) => {
        asked.push(commits.length);
        return Promise.resolve(new Map([['1', known]]));
      },
      save: () => Promise.resolve(),
    });
    const commits = Array.from({ length: 300 }, (_, index) => String(index % 150));
    const found = await Promise.all(commits.map((commit) => lookup.find(commit)));
    expect(asked).toEqual([100, 50]);
    expect(found.filter((pullRequest) => pullRequest !== null)).toEqual([known, known]);
    expect(await lookup.find('2')).toBeNull();
  });

  it('passes on that the store failed, to everybody who asked', async () => {
    const lookup = new PullRequestLookup({
      load: () => Promise.reject(new Error('down')),
      save: () => Promise.resolve(),
    });
    const results = await Promise.allSettled([lookup.find('1'), lookup.find('2')]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });
});
