import { globSync, readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { expect, it } from '@jest/globals';

/** `export { a, type B } from` and `import { a, type B } from`; a whole `type {…}` names no value. */
const named = (of: 'export' | 'import', from: string): RegExp =>
  new RegExp(`^${of} (?:type )?\\{([^}]*)\\} from '${from}';`, 'gm');

const texts = globSync('{apps,libs,scripts,test}/**/*.{ts,tsx,mjs,js}').map((file) =>
  readFileSync(file, 'utf8'),
);

it.each(globSync('libs/*/src/index.ts'))('%s exports no value that nothing imports', (index) => {
  const library = `#${basename(dirname(dirname(index)))}`;
  const imported = new Set(texts.flatMap((text) => valuesIn(text, named('import', library))));
  const isImportedWhole = texts.some((text) => new RegExp(`\\* as \\w+ from '${library}'`).test(text));
  const unused = valuesIn(readFileSync(index, 'utf8'), named('export', "[^']+")).filter(
    (name) => !imported.has(name),
  );
  expect(isImportedWhole ? [] : unused).toEqual([]);
});

function valuesIn(text: string, pattern: RegExp): readonly string[] {
  return [...text.matchAll(pattern)]
    .filter(([statement]) => !/^\w+ type /.test(statement))
    .flatMap(([, names = '']) => names.split(','))
    .map((name) => name.trim())
    .filter((name) => name !== '' && !name.startsWith('type '))
    .map((name) => name.replace(/ as .*/, ''));
}
