import { execFileSync } from 'node:child_process';
import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { configurationSchema } from '#configuration';
import { checkpointBodyText, generateSigningKey, noteHash, parseSigningKey, signNote } from '#ledger';
import { verifyDelivery } from '../webhooks/verify-delivery.ts';
import type { CheckpointSink } from './checkpoint-sink.ts';
import { createSinks } from './create-sinks.ts';

const origin = `plimsoll/test/${'0'.repeat(32)}`;
const now = '2026-11-22T12:00:00.000Z';
const key = parseSigningKey(generateSigningKey());
const { publicKey } = key;

function aNote(number: number, change: { readonly origin?: string; readonly root?: string } = {}): string {
  const body = {
    origin,
    number: BigInt(number),
    previous: noteHash(String(number)),
    streams: 1n,
    entries: BigInt(number),
    root: noteHash(`root ${number}`),
    time: now,
    ...change,
  };
  return signNote(checkpointBodyText(body), body.origin, key);
}

let folder = '';
let worlds = 0;
let place = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plimsoll-sinks-'));
});

afterAll(async () => {
  await rm(folder, { recursive: true });
});

beforeEach(() => {
  place = join(folder, String((worlds += 1)));
});

function aSink(checkpoints: object): CheckpointSink {
  const configuration = configurationSchema.parse({
    cluster: { name: 'test' },
    mode: 'Observe',
    namespaces: ['*'],
    sources: [{ name: 'policies', url: 'https://example.com/policies.git' }],
    dataFolder: place,
    checkpoints,
  });
  const [sink] = createSinks(configuration, { now: () => now });
  if (sink === undefined) throw new Error('there is no sink');
  return sink;
}

describe.each<{ name: string; sink: () => CheckpointSink; notes: () => Promise<string> }>([
  {
    name: 'a file',
    sink: () => aSink({ outputFile: `${place}.notes` }),
    notes: () => readFile(`${place}.notes`, 'utf8'),
  },
  {
    name: 'a Git ref',
    sink: () => aSink({ git: { url: `file://${aRepository()}` } }),
    notes: () =>
      Promise.resolve(
        git('rev-list', '--reverse', 'refs/heads/checkpoints')
          .trim()
          .split('\n')
          .map((hash) => `${git('cat-file', 'blob', `${hash}:checkpoint.note`)}\n`)
          .join(''),
      ),
  },
])('$name', ({ sink, notes }) => {
  it('takes each note once, in order, and goes on where another process ended', async () => {
    const first = sink();
    expect(await first.lastNote()).toBeNull();
    await first.deliver([aNote(1)], publicKey);
    await first.deliver([aNote(1), aNote(2), aNote(3)], publicKey);
    const second = sink();
    expect(await second.lastNote()).toBe(aNote(3));
    await second.deliver([aNote(3)], publicKey);
    await second.deliver([aNote(4)], publicKey);
    expect(await notes()).toBe([1, 2, 3, 4].map((number) => `${aNote(number)}\n`).join(''));
  });

  it('takes no other note of a number that it has, and shows both', async () => {
    const other = aNote(2, { root: 'f'.repeat(64) });
    await sink().deliver([aNote(1), aNote(2)], publicKey);
    await expect(sink().deliver([other], publicKey)).rejects.toMatchObject({
      code: 'Equivocation',
      message: `two checkpoints of number 2: there is\n${aNote(2)}\nand here is\n${other}`,
    });
  });

  it('takes no notes of another ledger', async () => {
    await sink().deliver([aNote(1)], publicKey);
    const other = aNote(2, { origin: `plimsoll/other/${'1'.repeat(32)}` });
    await expect(sink().deliver([other], publicKey)).rejects.toMatchObject({ code: 'ForeignCheckpoint' });
  });

  it('takes a later note for its last only where it is signed: any number could be written there', async () => {
    const later = aNote(9);
    await sink().deliver([later], publicKey);
    await sink().deliver([aNote(2)], publicKey);
    expect(await notes()).toBe(`${later}\n`);
    const stranger = parseSigningKey(generateSigningKey());
    await expect(sink().deliver([aNote(2)], stranger.publicKey)).rejects.toMatchObject({
      code: 'UnsignedCheckpoint',
      message: `it has a later checkpoint, 9, which is not signed with the present key: there is\n${later}\nand here is\n${aNote(2)}`,
    });
  });

  it('goes on after a last note that another key has signed, as before a rotation', async () => {
    await sink().deliver([aNote(1)], publicKey);
    const next = parseSigningKey(generateSigningKey());
    await sink().deliver([aNote(1)], next.publicKey);
    await sink().deliver([aNote(2)], next.publicKey);
    expect(await notes()).toBe(`${aNote(1)}\n${aNote(2)}\n`);
  });
});

it('appends to a file apart from what an interrupted write has left', async () => {
  const file = `${place}.notes`;
  const sink = aSink({ outputFile: file });
  await sink.deliver([aNote(1)], publicKey);
  await appendFile(file, aNote(2).slice(0, 100));
  await sink.deliver([aNote(2)], publicKey);
  expect(await readFile(file, 'utf8')).toBe(`${aNote(1)}\n${aNote(2).slice(0, 100)}\n\n${aNote(2)}\n`);
  expect(await sink.lastNote()).toBe(aNote(2));
});

it('goes on at a Git ref that somebody else has moved on', async () => {
  const url = `file://${aRepository()}`;
  const [one, other] = [aSink({ git: { url } }), aSink({ git: { url } })];
  await one.deliver([aNote(1)], publicKey);
  await other.deliver([aNote(1), aNote(2)], publicKey);
  await expect(one.deliver([aNote(3)], publicKey)).rejects.toMatchObject({ name: 'AdapterError' });
  await one.deliver([aNote(3)], publicKey);
  expect(git('log', '--format=%an %s', 'refs/heads/checkpoints')).toBe(
    [3, 2, 1].map((number) => `Plimsoll checkpoint ${number} of ${origin}\n`).join(''),
  );
});

it('begins a Git ref in a repository that names its objects by SHA-256', async () => {
  const url = `file://${aRepository('--object-format=sha256')}`;
  await aSink({ git: { url, ref: 'refs/plimsoll/notes' } }).deliver([aNote(1)], publicKey);
  expect(git('cat-file', 'blob', 'refs/plimsoll/notes:checkpoint.note')).toBe(aNote(1));
});

function aRepository(...options: readonly string[]): string {
  execFileSync('git', ['init', '--bare', '--quiet', ...options, `${place}.git`]);
  return `${place}.git`;
}

function git(...operands: readonly string[]): string {
  return execFileSync('git', ['-C', `${place}.git`, ...operands], { encoding: 'utf8' });
}

describe('an HTTP sink', () => {
  let server: Server;
  let url = '';
  let status = 204;
  const posts: { readonly headers: IncomingHttpHeaders; readonly body: string }[] = [];

  beforeAll(async () => {
    server = createServer((request, response) => {
      void text(request).then((body) => {
        posts.push({ headers: request.headers, body });
        response.writeHead(status, { location: 'https://example.com/' }).end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/notes`;
  });

  afterAll(async () => {
    await new Promise((resolve) => server.close(resolve));
  });

  async function anHttpSink(): Promise<CheckpointSink> {
    const secretFile = `${place}.secret`;
    await writeFile(
      secretFile,
      `whsec_${Buffer.alloc(32, 7).toString('base64')}\nold-secret-of-many-bytes\n`,
    );
    return aSink({ http: { url, secretFile } });
  }

  it('posts each note, signed with every secret', async () => {
    posts.length = 0;
    status = 204;
    const sink = await anHttpSink();
    await sink.deliver([aNote(1), aNote(2)], publicKey);
    expect(posts.map(({ body }) => JSON.parse(body) as unknown)).toEqual(
      [1, 2].map((number) => ({ kind: 'Checkpoint', origin, number: String(number), note: aNote(number) })),
    );
    for (const secret of [`whsec_${Buffer.alloc(32, 7).toString('base64')}`, 'old-secret-of-many-bytes']) {
      for (const [index, { headers, body }] of posts.entries()) {
        const verified = verifyDelivery(
          'generic',
          { headers, body: Buffer.from(body) },
          { secrets: [secret], nowSeconds: Date.parse(now) / 1_000 },
        );
        expect(verified).toEqual({ ok: true, value: { replayKeys: [`id:${origin}/${index + 1}`] } });
      }
    }
  });

  it.each([302, 400, 401, 503])('fails where the answer is %d, and follows no redirect', async (answer) => {
    status = answer;
    const sink = await anHttpSink();
    await expect(sink.deliver([aNote(1)], publicKey)).rejects.toMatchObject({
      code: 'Refused',
      message: `${new URL(url).origin} answered ${origin}/1 with status ${answer}`,
    });
  });

  it('fails where nothing answers, and without its secret', async () => {
    const secretFile = `${place}.secret`;
    const sink = aSink({ http: { url: 'http://127.0.0.1:1/', secretFile } });
    await expect(sink.deliver([aNote(1)], publicKey)).rejects.toMatchObject({ code: 'SecretUnreadable' });
    await writeFile(secretFile, 'a-secret-of-many-bytes\n');
    await expect(sink.deliver([aNote(1)], publicKey)).rejects.toMatchObject({ code: 'Unreachable' });
  });
});

it.each([
  { http: { url: 'http://example.com/', secretFile: 'x' } },
  { http: { url: 'https://user:pass@example.com/', secretFile: 'x' } },
  { http: { url: 'https://example.com/' } },
  { git: { url: 'ext::sh -c true' } },
  { git: { url: 'https://example.com/notes.git', ref: 'main' } },
])('is no sink: %j', (checkpoints) => {
  expect(() => aSink(checkpoints)).toThrow();
});
