import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { decide, engineVersion, parseDecideInput } from '#decision';
import { expandVector, merge } from './support/expand-vector.ts';
import type { VectorFile, VectorGiven } from './support/vector.ts';

const folder = join(import.meta.dirname, 'vectors');
const recorded = join(import.meta.dirname, 'engine-digests.json');

/**
 * A recorded input gives the same bytes as long as the engine has the same version: reasons, steps and messages
 * included. After a change that is meant, raise `engineVersion` and run this test with PLIMSOLL_WRITE_DIGESTS=1.
 */
it('gives the bytes that its version has always given', () => {
  const digests = {
    engineVersion,
    files: Object.fromEntries(vectorFiles().map((file) => [file, digestOf(file)])),
  };
  if (process.env['PLIMSOLL_WRITE_DIGESTS'] === '1')
    writeFileSync(recorded, `${JSON.stringify(digests, null, 2)}\n`);
  expect(digests).toEqual(JSON.parse(readFileSync(recorded, 'utf8')));
});

function vectorFiles(): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.yaml'))
    .sort();
}

/** Of the outputs of all rows of a file. */
function digestOf(file: string): string {
  const { given: base, cases } = parse(readFileSync(join(folder, file), 'utf8')) as VectorFile;
  const hash = createHash('sha256');
  for (const { given } of cases) {
    const input = parseDecideInput(expandVector(merge(base ?? {}, given) as VectorGiven));
    hash.update(JSON.stringify(input.ok ? decide(input.value) : input.error));
  }
  return hash.digest('hex').slice(0, 16);
}
