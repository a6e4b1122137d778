import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Instrumenter } from '@stryker-mutator/instrumenter';

export const root = join(import.meta.dirname, '..', '..');
/** Within the tree, so that packages are found; ignored by Git and by the other tools. */
export const workFolder = join(root, 'dist', 'mutation');

const folder = 'libs/decision/src';
/** What decides; input checks and schemas are not mutated. */
const mutated = /^(?:decide|(?:rules|metrics|selection|evaluation)\/[\w-]+)\.ts$/;
const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'];
const quiet = {
  isDebugEnabled: () => false,
  ...Object.fromEntries(levels.map((level) => [level, () => undefined])),
};

/** Copies what the suites need, with every mutant of the decision library behind a switch. */
export async function instrument(only) {
  rmSync(workFolder, { recursive: true, force: true });
  for (const part of ['libs', 'test', 'docs/spec', 'schemas', 'package.json']) {
    mkdirSync(join(workFolder, part, '..'), { recursive: true });
    cpSync(join(root, part), join(workFolder, part), { recursive: true });
  }
  const files = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => mutated.test(file) && !file.endsWith('.spec.ts') && file.includes(only))
    .map((file) => ({
      name: join(workFolder, folder, file),
      mutate: true,
      content: readFileSync(join(root, folder, file), 'utf8'),
    }));
  const options = { plugins: null, excludedMutations: ['StringLiteral'], noHeader: false, ignorers: [] };
  const result = await new Instrumenter(quiet).instrument(files, options);
  for (const { name, content } of result.files) writeFileSync(name, content);
  const sources = new Map(files.map(({ name, content }) => [name, content.split('\n')]));
  const kept = result.mutants.filter(({ status }) => status !== 'Ignored');
  return kept.map(({ id, fileName, location, replacement, mutatorName }) => ({
    id,
    file: fileName.slice(join(workFolder, folder).length + 1),
    line: location.start.line + 1,
    code: textAt(sources.get(fileName) ?? [], location),
    replacement: replacement.replaceAll(/\s+/g, ' ').slice(0, 120),
    mutator: mutatorName,
  }));
}

function textAt(lines, { start, end }) {
  const part = lines.slice(start.line, end.line + 1);
  if (part.length === 0) return '';
  part[part.length - 1] = part[part.length - 1].slice(0, end.column);
  part[0] = part[0].slice(start.column);
  return part.join(' ').replaceAll(/\s+/g, ' ').slice(0, 120);
}
