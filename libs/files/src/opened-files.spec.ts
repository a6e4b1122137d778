import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { OpenedFiles } from './opened-files.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'plimsoll-opened-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('are gone where their path leads nowhere or to another file, until they are put back', () => {
  const [one, two] = [join(folder, 'one'), join(folder, 'two')];
  writeFileSync(one, '');
  const opened = new OpenedFiles([one, two]);
  expect(opened.findGone()).toBeNull();
  writeFileSync(two, '');
  expect(opened.findGone()).toBeNull();
  renameSync(two, join(folder, 'away'));
  expect(opened.findGone()).toBe(two);
  writeFileSync(two, 'another');
  expect(opened.findGone()).toBe(two);
  renameSync(join(folder, 'away'), two);
  expect(opened.findGone()).toBeNull();
  writeFileSync(one, 'more');
  expect(opened.findGone()).toBeNull();
});
