import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import picomatch from 'picomatch';
import { runToEnd } from '../../../../test/support/run-to-end.ts';
import { folderMatcher, foldersOverlap, globProblem, pathMatcher } from './glob.ts';

describe('globs of files', () => {
  it.each<{ readonly glob: string; readonly path: string; readonly want: boolean }>([
    { glob: 'teams/**', path: 'teams/a/b.yaml', want: true },
    { glob: 'teams', path: 'teams/a/b.yaml', want: true },
    { glob: 'teams', path: 'x/teams/b.yaml', want: true },
    { glob: '/teams', path: 'x/teams/b.yaml', want: false },
    { glob: 'teams/', path: 'x/teams/b.yaml', want: true },
    { glob: './teams/a', path: 'teams/a/b.yaml', want: true },
    { glob: '*.yaml', path: 'a/b/c.yaml', want: true },
    { glob: 'a/*.yaml', path: 'a/b/c.yaml', want: false },
    { glob: 'a/**/c.yaml', path: 'a/c.yaml', want: true },
    { glob: '**/prod/**', path: 'x/prod/y/z.yaml', want: true },
    { glob: '{eu,us}/p?', path: 'us/p1/x.yaml', want: true },
    { glob: '{eu,us{1,2}}', path: 'us2/x.yaml', want: true },
    { glob: 'p[0-4]', path: 'p5', want: false },
    { glob: 'p[!0-4]', path: 'p5', want: true },
    { glob: 'p[[:digit:]]', path: 'p5', want: true },
    { glob: 'p[![:digit:]-]', path: 'p-', want: false },
    { glob: 'p[]]', path: 'p]', want: true },
    { glob: 'a\\*', path: 'a*', want: true },
    { glob: 'a\\*', path: 'ab', want: false },
    { glob: '.*', path: '.x', want: true },
    { glob: '*', path: '.x', want: true },
    { glob: '/', path: 'a', want: true },
  ])('$glob names $path: $want', ({ glob, path, want }) => {
    expect(pathMatcher([glob])(path)).toBe(want);
  });

  it('names nothing without globs', () => {
    expect(pathMatcher([])('a')).toBe(false);
  });

  // Of `*/**` and `*` picomatch says sometimes this, sometimes that: here the folder itself is always one.
  it('agrees with picomatch', () => {
    const segment = fc.constantFrom(
      'a',
      'b',
      'ab',
      '*',
      '?',
      'a*',
      '*b',
      '[ab]',
      '[!a]',
      '[a-b]*',
      '{a,b}',
      '{a,b*}c',
      '**',
      'a?b',
    );
    const name = fc.constantFrom('a', 'b', 'c', 'ab', 'aab', 'bc', 'axb', '.a');
    fc.assert(
      fc.property(
        fc.array(segment, { minLength: 1, maxLength: 4 }),
        fc.array(name, { minLength: 1, maxLength: 4 }),
        (segments, names) => {
          const [glob, path] = [segments.join('/').replace(/(\/?\*\*)+$/, '/x*'), names.join('/')];
          expect([glob, path, folderMatcher(glob)(path)]).toEqual([
            glob,
            path,
            picomatch(glob.replaceAll('[!', '[^'), { dot: true, nonegate: true })(path),
          ]);
        },
      ),
      { numRuns: 3_000 },
    );
  });

  it.each(['a*'.repeat(300), '**/'.repeat(300), '*a'.repeat(300), '?*'.repeat(300), '{a,b}'.repeat(6)])(
    'comes to an end for %s',
    (glob) => {
      runToEnd(() => {
        pathMatcher([glob])('a'.repeat(5_000));
        pathMatcher([glob])('a/'.repeat(2_000));
      });
    },
  );
});

describe('what is wrong with a glob', () => {
  it.each<{ readonly glob: string; readonly want: string }>([
    { glob: '!a', want: 'begins with !' },
    { glob: 'a/@(b|c)', want: 'has "(" at character 4' },
    { glob: 'a|b', want: 'has "|" at character 2' },
    { glob: 'a/{b,c', want: 'has a { at character 3 that nothing closes' },
    { glob: 'a}', want: 'has a } at character 2 that closes nothing' },
    { glob: 'a{1..3}', want: 'has braces without a comma at character 2' },
    { glob: 'a[', want: 'has "[" in "a["' },
    { glob: 'a[b', want: 'has "[b" in "a[b"' },
    { glob: '[z-a]', want: 'has "[z-a]" in "[z-a]"' },
    { glob: '[[:alfa:]]', want: 'in "[[:alfa:]]"' },
    { glob: 'a\\', want: 'has "\\\\" in "a\\\\"' },
    { glob: '../a', want: 'has a ..' },
    { glob: '{a,b}'.repeat(7), want: 'has more than 100 alternatives' },
    { glob: 'a'.repeat(1_001), want: 'has 1001 characters, more than 1000' },
  ])('$glob $want', ({ glob, want }) => {
    expect(globProblem(glob)).toContain(want);
    expect(pathMatcher([glob])('a')).toBe(false);
  });

  it('never throws, and never hangs', () => {
    const character = fc.constantFrom(...'ab/*?[]{},\\!^-.()|'.split(''));
    fc.assert(
      fc.property(
        fc.string({ unit: character, maxLength: 40 }),
        fc.string({ unit: character }),
        (glob, path) => {
          pathMatcher([glob])(path);
          foldersOverlap(glob, path);
          return typeof globProblem(glob) !== 'string' || globProblem(glob) !== '';
        },
      ),
      { numRuns: 3_000 },
    );
  });
});

describe('globs of folders that overlap', () => {
  it.each<{ readonly one: string; readonly other: string; readonly want: boolean }>([
    { one: 'teams/*', other: 'teams/a', want: true },
    { one: 'teams/a', other: 'teams/b', want: false },
    { one: 'teams/a', other: 'teams/ab', want: false },
    { one: 'teams', other: 'teams/a', want: true },
    { one: '**', other: 'a', want: true },
    { one: '/', other: 'a', want: true },
    { one: 'teams/*/prod', other: 'teams/a', want: true },
    { one: 'teams/*/prod', other: 'teams/*/dev', want: false },
    { one: '*/shop', other: 'apps/*', want: true },
    { one: 'teams/*-eu', other: 'teams/shop-*', want: true },
    { one: 'teams/a*', other: 'teams/b*', want: false },
    { one: 'teams/[a-f]*', other: 'teams/[g-z]*', want: false },
    { one: 'teams/[!a]*', other: 'teams/[a]*', want: false },
    { one: 'teams/[!a]*', other: 'teams/[!b]*', want: true },
    { one: '{a,b}/x', other: '{b,c}/x', want: true },
    { one: '{a,b}/x', other: '{c,d}/x', want: false },
    { one: '**/a', other: 'b', want: true },
    { one: 'a?', other: '?b', want: true },
    { one: 'a?', other: '??c', want: false },
  ])('$one and $other: $want', ({ one, other, want }) => {
    expect(foldersOverlap(one, other)).toBe(want);
    expect(foldersOverlap(other, one)).toBe(want);
  });

  it('are those of which one names a folder that the other names, or that is inside', () => {
    const segment = fc.constantFrom('a', 'b', '*', 'a*', '*b', '[ab]', '[!a]', '{a,b}', '**', '?');
    const glob = fc.array(segment, { minLength: 1, maxLength: 2 }).map((segments) => segments.join('/'));
    fc.assert(
      fc.property(glob, glob, (one, other) => {
        const claims = [one, other].map((each) => folderMatcher(each));
        const isClaimedTwice = folders.some((folder) =>
          claims.every((matches) => aroundOf(folder).some((each) => matches(each))),
        );
        expect([one, other, foldersOverlap(one, other)]).toEqual([one, other, isClaimedTwice]);
      }),
      { numRuns: 1_000 },
    );
  });
});

/** Every folder of up to four names that the globs above could distinguish. */
const names = ['a', 'b', 'c', 'ab', 'cb'];
const folders = [1, 2, 3].reduce<readonly string[]>(
  (known) => [...names, ...known.flatMap((folder) => names.map((name) => `${folder}/${name}`))],
  names,
);

function aroundOf(folder: string): readonly string[] {
  const parts = folder.split('/');
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}
