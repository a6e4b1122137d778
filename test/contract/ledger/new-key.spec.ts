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

it.each([
  { name: 'key', empty: () => file, want: 'put the key back from a copy' },
  {
    name: 'key before it',
    empty: () => `${file}.previous`,
    want: 'put the key that signed the last checkpoint back',
  },
  {
    name: 'word of its loss',
    empty: () => `${file}.lost`,
    want: 'where nothing was signed with the present key yet',
  },
])('says that the file of the $name is empty, and what to do', async ({ empty, want }) => {
  writeFileSync(file, generateSigningKey());
  writeFileSync(empty(), '');
  expect(await opened()).toEqual({
    kind: 'missing',
    reason: expect.stringMatching(/: the file is empty, as a write that was cut short leaves it: /),
  });
  expect(await opened()).toMatchObject({ reason: expect.stringContaining(`${empty()}: the file is empty`) });
  expect(await opened()).toMatchObject({ reason: expect.stringContaining(want) });
});

it('has the public key written when it is another', async () => {
  const publicFile = join(tree.folder, 'checkpoint-key.pub');
  writeFileSync(file, generateSigningKey());
  await opened();
  const first = statSync(publicFile);
  await opened();
  expect(statSync(publicFile).ino).toBe(first.ino);
  await newKey();
  await opened();
  const { publicKey } = parseSigningKey(readFileSync(file, 'utf8'));
  expect(readFileSync(publicFile, 'utf8')).toBe(publicKeyPem(publicKey));
  expect(statSync(publicFile).mode & 0o777).toBe(0o644);
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
    name: 'a key whose writing was cut short',
    options: () => {
      writeFileSync(file, '');
      return { reason: 'x' };
    },
    want: `checkpoint-key.pem: the file is empty, as a write that was cut short leaves it: put the key back`,
  },
  {
    name: 'a key before the present one whose writing was cut short',
    options: () => {
      writeFileSync(file, generateSigningKey());
      writeFileSync(`${file}.previous`, '');
      return {};
    },
    want: 'checkpoint-key.pem.previous: the file is empty, as a write that was cut short leaves it: remove it, and run this again',
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
