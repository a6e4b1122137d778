import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { generateSigningKey, parseSigningKey, publicKeyPem, publicKeyText } from '#ledger';
import { makeNewKey, type NewKeyArguments } from '../../../apps/cli/src/audit/new-key.ts';
import { type FileTree, makeTree } from '../../../apps/cli/src/testing/run-cli.fixture.ts';
import { openCheckpointKeys } from '../../../apps/controller/src/checkpoints/checkpoint-key.ts';

let tree: FileTree;
let file = '';

beforeEach(() => {
  tree = makeTree({});
  file = join(tree.folder, 'checkpoint-key.pem');
});

afterEach(() => {
  tree.remove();
});

async function newKey(options: Partial<NewKeyArguments> = {}): Promise<string> {
  const output = new PassThrough();
  const messages = new PassThrough().resume();
  await makeNewKey({ dataFolder: tree.folder, ...options }, { output, messages });
  return String(output.read());
}

function opened(): ReturnType<typeof openCheckpointKeys> {
  const database = { url: 'sqlite:x' };
  return openCheckpointKeys({ dataFolder: tree.folder, database, checkpoints: {} }, false);
}

it('makes a key that the present one can sign for', async () => {
  const present = generateSigningKey();
  writeFileSync(file, present);
  const printed = await newKey();
  const keys = await opened();
  if (keys.kind !== 'keys') throw new Error(keys.reason);
  expect(publicKeyPem(keys.current.publicKey)).toBe(printed);
  expect(keys.previous?.publicKey.equals(parseSigningKey(present).publicKey)).toBe(true);
  expect(keys.lost).toBeNull();
  for (const each of [file, `${file}.previous`]) expect(statSync(each).mode & 0o777).toBe(0o600);
  // Else the key that has to sign for the present one would be gone.
  await expect(newKey()).rejects.toThrow('has not recorded yet');
  expect(publicKeyPem(parseSigningKey(readFileSync(file, 'utf8')).publicKey)).toBe(printed);
});

it('makes a key in the place of a lost one only with a reason, which it keeps with it', async () => {
  await expect(newKey()).rejects.toMatchObject({
    name: 'UnusableError',
    message: `${file} is missing: --reason says how the key was lost, which is recorded`,
  });
  expect(existsSync(file)).toBe(false);
  await newKey({ reason: 'the disk is gone' });
  const keys = await opened();
  if (keys.kind !== 'keys') throw new Error(keys.reason);
  expect(keys.previous).toBeNull();
  expect(keys.lost).toMatchObject({
    key: publicKeyText(keys.current.publicKey),
    reason: 'the disk is gone',
    actor: expect.stringMatching(/./),
  });
});

it.each<{ name: string; options: () => Partial<NewKeyArguments>; want: string }>([
  {
    name: 'a reason for a key that is there',
    options: () => {
      writeFileSync(file, generateSigningKey());
      return { reason: 'x' };
    },
    want: 'is followed without --reason',
  },
  {
    name: 'a file that is no key',
    options: () => {
      writeFileSync(file, 'no key');
      return {};
    },
    want: 'checkpoint-key.pem: ',
  },
  {
    name: 'a folder that is none',
    options: () => {
      writeFileSync(join(tree.folder, 'text'), '');
      return { keyFile: join(tree.folder, 'text', 'key.pem'), reason: 'x' };
    },
    want: 'text/key.pem: ',
  },
])('refuses $name', async ({ options, want }) => {
  await expect(newKey(options())).rejects.toMatchObject({
    name: 'UnusableError',
    message: expect.stringContaining(want),
  });
});
