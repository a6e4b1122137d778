import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from '@jest/globals';

/** What stands beside folders and below all of them: the words of Nest's providers. */
const belowAll = ['apps/controller/src/provider.ts'];

/** A folder that runs what the others put together, as the files beside the folders do. */
const aboveAll = 'demo';

/** Fakes and builders, which nothing in production imports, use whatever they stand for. */
const inTests = /\.(?:spec|fake)\.ts$|\/testing\//;

interface FolderOrder {
  readonly root: string;
  /** In the order in which the architecture names them. */
  readonly folders: readonly string[];
}

const orders = ordersOf(readFileSync('ARCHITECTURE.md', 'utf8'));

it.each(['apps/controller/src', 'libs/reconciliation/src', 'libs/git-sync/src'])(
  'the architecture names an order of the folders of %s',
  (root) => {
    expect(orders.map((order) => order.root)).toContain(root);
  },
);

describe.each(orders)('the folders of $root', ({ root, folders }) => {
  const sources = globSync(`${root}/**/*.ts`).filter((file) => !inTests.test(file));

  it('are each named once', () => {
    const found = new Set(sources.map(folderOf).filter((folder) => folder !== '' && folder !== aboveAll));
    expect(folders.toSorted()).toEqual([...found].toSorted());
  });

  it('have no import that runs back', () => {
    const back = sources.flatMap((file) =>
      importsOf(file)
        .filter((imported) => imported.startsWith(root) && placeOf(imported) > placeOf(file))
        .map((imported) => `${file} imports ${imported}`),
    );
    expect(back).toEqual([]);
  });

  /** The folder of a file, directly below the root; empty: the file stands beside them. */
  function folderOf(file: string): string {
    const path = file.slice(root.length + 1);
    return path.includes('/') ? path.slice(0, path.indexOf('/')) : '';
  }

  /** What stands beside the folders is above them. */
  function placeOf(file: string): number {
    if (belowAll.includes(file)) return -1;
    const folder = folderOf(file);
    return folder === '' || folder === aboveAll ? folders.length : folders.indexOf(folder);
  }
});

function ordersOf(text: string): readonly FolderOrder[] {
  const lines = text.matchAll(/the folders of `([^`]+)` [^:]*each those before it alone: ([^(]*)/g);
  return [...lines].map(([, root = '', list = '']) => ({
    root,
    folders: [...list.matchAll(/`([^`]+)`/g)].map(([, folder = '']) => folder),
  }));
}

function importsOf(file: string): readonly string[] {
  const text = readFileSync(file, 'utf8');
  return [...text.matchAll(/(?:from |import\(|import )'(\.[^']+)'/g)].map(([, path = '']) =>
    normalize(join(dirname(file), path)),
  );
}
