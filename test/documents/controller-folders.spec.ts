import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, it } from '@jest/globals';

const root = 'apps/controller/src';

/** In the order in which the architecture names them. */
const folders = foldersOf(readFileSync('ARCHITECTURE.md', 'utf8'));

const sources = globSync(`${root}/**/*.ts`).filter(
  (file) => !file.endsWith('.spec.ts') && !file.includes('/testing/'),
);

it('names each folder of the controller once', () => {
  const found = new Set(sources.map(folderOf).filter((folder) => folder !== '' && folder !== 'demo'));
  expect(folders.toSorted()).toEqual([...found].toSorted());
});

it('has no import that runs back', () => {
  const back = sources.flatMap((file) =>
    importsOf(file)
      .filter((imported) => imported.startsWith(root) && placeOf(imported) > placeOf(file))
      .map((imported) => `${file} imports ${imported}`),
  );
  expect(back).toEqual([]);
});

function foldersOf(text: string): readonly string[] {
  const line = text.split('\n').find((each) => each.includes(`the folders of \`${root}\``)) ?? '';
  const list = /each those before it alone: ([^(]*)/.exec(line)?.[1] ?? '';
  return [...list.matchAll(/`([^`]+)`/g)].map(([, folder = '']) => folder);
}

/** The folder of a file, directly below the root; empty: the file stands beside them. */
function folderOf(file: string): string {
  const path = file.slice(root.length + 1);
  return path.includes('/') ? path.slice(0, path.indexOf('/')) : '';
}

/** What stands beside the folders is above them, as the demo is, but for the words of Nest's providers. */
function placeOf(file: string): number {
  if (file === `${root}/provider.ts`) return -1;
  const folder = folderOf(file);
  return folder === '' || folder === 'demo' ? folders.length : folders.indexOf(folder);
}

function importsOf(file: string): readonly string[] {
  const text = readFileSync(file, 'utf8');
  return [...text.matchAll(/(?:from |import\(|import )'(\.[^']+)'/g)].map(([, path = '']) =>
    normalize(join(dirname(file), path)),
  );
}
