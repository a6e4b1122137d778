import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { saveContext } from '../server/contexts.ts';
import { answerWithoutEnd } from '../testing/endless-answer.fixture.ts';
import { aTerminal, type FileTree, makeTree } from '../testing/run-cli.fixture.ts';
import { exportLedger } from './export-ledger.ts';

let tree: FileTree;
let server: Server;
let answer = '';
let status = 200;
let asked: unknown;
let authorization: string | undefined;

beforeAll(async () => {
  tree = makeTree({ token: 'plm_token' });
  server = createServer((request, response) => {
    void text(request).then((body) => {
      asked = JSON.parse(body);
      authorization = request.headers.authorization;
      response.writeHead(status).end(answer);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterAll(() => {
  server.close();
  tree.remove();
});

const head = { hash: 'a'.repeat(64), seq: '7', stream: 'admin' };

describe('plimsoll audit export --server', () => {
  it.each([
    { url: 'http://me:s3cret@127.0.0.1:1', want: 'the URL names a user' },
    { url: 'http://me:s3cret@no such host', want: 'this is no URL' },
  ])('takes no password in $url, and repeats none', async ({ url, want }) => {
    const output = join(tree.folder, 'refused');
    const options = { output, server: url, tokenFile: join(tree.folder, 'token') };
    const failed = exportLedger(options, aTerminal());
    await expect(failed).rejects.toMatchObject({
      name: 'UnusableError',
      message: expect.stringContaining(want),
    });
    await expect(failed).rejects.not.toThrow('s3cret');
  });

  it.each([
    { code: 'CheckpointUnfit', detail: 'the last checkpoint does not fit', want: 1 },
    { code: 'Unavailable', detail: 'the ledger cannot be exported now', want: 2 },
  ])('ends with $want where the server refuses with $code, and says why', async ({ code, detail, want }) => {
    status = 503;
    answer = JSON.stringify({ status, code, detail });
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const options = { output: join(tree.folder, code), server: url, tokenFile: join(tree.folder, 'token') };
    await expect(exportLedger(options, aTerminal())).rejects.toMatchObject({
      status: want,
      message: `${url} refused the export: 503, ${detail}`,
    });
    // What was there stays, also without anything in it.
    expect(existsSync(options.output)).toBe(false);
    mkdirSync(options.output);
    await expect(exportLedger(options, aTerminal())).rejects.toThrow('refused the export');
    expect(existsSync(options.output)).toBe(true);
    status = 200;
  });

  it.each([
    {
      name: 'a refusal that does not end',
      respond: (response: ServerResponse) => answerWithoutEnd(response, 500),
      want: 'does not answer: the answer is too large',
    },
    {
      name: 'a redirection to another server, which is sent no token',
      respond: (response: ServerResponse) =>
        response.writeHead(307, { location: 'https://elsewhere.example/' }).end(),
      want: 'redirects to https://elsewhere.example/: log in with the address of the controller itself',
    },
    {
      name: 'a refusal with what a terminal obeys',
      respond: (response: ServerResponse) =>
        response.writeHead(403).end(JSON.stringify({ detail: 'no \u001B[2J\nmore' })),
      want: String.raw`refused the export: 403, no \u001b[2J more`,
    },
  ])('ends in one line at $name', async ({ respond, want }) => {
    const hostile = createServer((_, response) => respond(response));
    hostile.listen(0, '127.0.0.1');
    await once(hostile, 'listening');
    const url = `http://127.0.0.1:${(hostile.address() as AddressInfo).port}`;
    const options = { output: join(tree.folder, 'none'), server: url, tokenFile: join(tree.folder, 'token') };
    await expect(exportLedger(options, aTerminal())).rejects.toMatchObject({
      name: 'UnusableError',
      message: `${url} ${want}`,
    });
    hostile.close();
    hostile.closeAllConnections();
  });

  it('takes the token of a login at the server, also where another is the latest, and sends it nowhere else', async () => {
    const { port } = server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}`;
    const environment = { XDG_CONFIG_HOME: join(tree.folder, 'config') };
    await saveContext('here', { server: url, token: 'plm_here' }, environment);
    await saveContext(
      'elsewhere',
      { server: 'https://plimsoll.example.com', token: 'plm_else' },
      environment,
    );
    const from = (to: string) =>
      exportLedger(
        { output: join(tree.folder, `login-${to.length}`), server: to },
        { ...aTerminal(), environment },
      );
    answer = [{ madeAt: '2026-11-20T12:00:00Z' }, { retention: [] }, { end: true }]
      .map((line) => `${JSON.stringify(line)}\n`)
      .join('');
    await from(`${url}/`);
    expect(authorization).toBe('Bearer plm_here');
    authorization = undefined;
    await expect(from(`http://localhost:${port}`)).rejects.toMatchObject({
      name: 'UnusableError',
      message: `no token for http://localhost:${port} is known: "plimsoll login --server http://localhost:${port}" first, or name --token-file`,
    });
    expect(authorization).toBeUndefined();
  });

  it('says that an export has to be made anew where going on is of no use, and up to where it has the records', async () => {
    const { port } = server.address() as AddressInfo;
    const output = join(tree.folder, 'begun');
    const options = { output, server: `http://127.0.0.1:${port}`, tokenFile: join(tree.folder, 'token') };
    const lines = [{ madeAt: '2026-11-20T12:00:00Z' }, { head }, { retention: [] }];
    answer = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    await expect(exportLedger(options, aTerminal())).rejects.toThrow('--resume goes on');
    const progress = join(output, 'progress.json');
    const begun = JSON.parse(readFileSync(progress, 'utf8')) as object;
    writeFileSync(progress, JSON.stringify({ ...begun, last: { stream: 'policy:shop/a', seq: '3' } }));
    answer = `${JSON.stringify({ madeAt: '2026-11-20T12:01:00Z' })}\n${JSON.stringify({ failed: 'export anew' })}\n`;
    await expect(exportLedger({ ...options, resume: true }, aTerminal())).rejects.toMatchObject({
      name: 'UnusableError',
      message: 'export anew',
    });
    expect(asked).toMatchObject({ after: { stream: 'policy:shop/a', seq: '3', admin: '7' } });
  });
});
