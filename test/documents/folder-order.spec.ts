import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from '@jest/globals';

/**
 * What stands beside folders and below all of them: what every command has of a terminal, the words of Nest's providers, and
 * what is imported alone.
 */
const belowAll = [
  ...[
    'argument-refusal',
    'entry-progress',
    'namespace-argument',
    'printable',
    'run-command',
    'unusable-error',
  ].map((name) => `apps/cli/src/${name}.ts`),
  'apps/controller/src/provider.ts',
  'libs/contracts/src/choices.ts',
  'libs/decision/src/condition-message.ts',
];

/** A folder that runs what the others put together, as the files beside the folders do. */
const aboveAll = 'demo';

/** Fakes and builders, which nothing in production imports, use whatever they stand for. */
const inTests = /\.(?:spec|fake)\.tsx?$|\/testing\//;

interface FolderOrder {
  readonly root: string;
  /** In the order in which the architecture names them. */
  readonly folders: readonly string[];
}

const orders = ordersOf(readFileSync('ARCHITECTURE.md', 'utf8'));

it('the architecture names an order of the folders of two apps, of the largest rooms of the apps, and of each library that has several', () => {
  const several = globSync('libs/*/src').filter((root) => foldersOf(root).size > 1);
  const named = orders.map(({ root }) => root);
  expect(named.toSorted()).toEqual(
    [
      ...[
        'apps/cli/src',
        'apps/console/src/components',
        'apps/controller/src',
        'apps/controller/src/admin',
        'apps/controller/src/admin-graphql',
        'apps/controller/src/admin-rest',
        'apps/controller/src/auth',
        'apps/controller/src/coordination',
      ],
      ...several,
    ].toSorted(),
  );
});

describe.each(orders)('the folders of $root', ({ root, folders }) => {
  const sources = sourcesOf(root);
  const folderOf = (file: string): string => folderIn(root, file);

  it('are each named once', () => {
    expect(folders.toSorted()).toEqual([...foldersOf(root)].toSorted());
  });

  it('have no import that runs back', () => {
    const back = sources.flatMap((file) =>
      importsOf(file)
        .filter((imported) => imported.startsWith(root) && placeOf(imported) > placeOf(file))
        .map((imported) => `${file} imports ${imported}`),
    );
    expect(back).toEqual([]);
  });

  /** What stands beside the folders is above them. */
  function placeOf(file: string): number {
    if (belowAll.includes(file)) return -1;
    const folder = folderOf(file);
    return folder === '' || folder === aboveAll ? folders.length : folders.indexOf(folder);
  }
});

it.each(globSync('libs/*/src'))('no two folders of %s import each other', (root) => {
  const pairs = new Set(
    sourcesOf(root).flatMap((file) =>
      importsOf(file).map((imported) => `${folderIn(root, file)} imports ${folderIn(root, imported)}`),
    ),
  );
  const isBoth = (pair: string): boolean => {
    const [from = '', to = ''] = pair.split(' imports ');
    return from !== '' && to !== '' && from !== to && pairs.has(`${to} imports ${from}`);
  };
  expect([...pairs].filter(isBoth)).toEqual([]);
});

function ordersOf(text: string): readonly FolderOrder[] {
  const rows = text.matchAll(/^\| `([^`]+\/src(?:\/[^`]+)?)` \| ([^|]+) \|/gm);
  return [...rows].map(([, root = '', list = '']) => ({
    root,
    folders: [...list.matchAll(/`([^`]+)`/g)].map(([, folder = '']) => folder),
  }));
}

function foldersOf(root: string): ReadonlySet<string> {
  const folders = sourcesOf(root).map((file) => folderIn(root, file));
  return new Set(folders.filter((folder) => folder !== '' && folder !== aboveAll));
}

function sourcesOf(root: string): readonly string[] {
  return globSync(`${root}/**/*.{ts,tsx}`).filter((file) => !inTests.test(file));
}

/** The folder of a file, directly below the root; empty: the file stands beside them, or elsewhere. */
function folderIn(root: string, file: string): string {
  if (!file.startsWith(`${root}/`)) return '';
  const path = file.slice(root.length + 1);
  return path.includes('/') ? path.slice(0, path.indexOf('/')) : '';
}

function importsOf(file: string): readonly string[] {
  const text = readFileSync(file, 'utf8');
  return [...text.matchAll(/(?:from |import\(|import )'(\.[^']+)'/g)].map(([, path = '']) =>
    normalize(join(dirname(file), path)),
  );
}
