import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { soon } from '../../../../test/e2e/support/soon.ts';
import { RefusedError, UnknownTokenError } from '../server/api-client.ts';
import { aTerminal } from '../testing/run-cli.fixture.ts';
import { watchAnswer } from './watch-answer.ts';

interface Names {
  readonly names: readonly string[];
}

describe('watching an answer', () => {
  let server: Server;
  let names: readonly string[];
  let status: number;
  let statuses: number[];
  let ending: AbortController;
  let written: { output: string; messages: string };

  beforeEach(async () => {
    [names, status, statuses, ending] = [['cart'], 200, [], new AbortController()];
    written = { output: '', messages: '' };
    server = createServer((request, response) => {
      const tag = `"${names.join()}"`;
      const sent = status === 200 && request.headers['if-none-match'] === tag ? 304 : status;
      statuses.push(sent);
      response.writeHead(sent, { etag: tag, 'content-type': 'application/json' });
      const body = sent === 200 ? { names } : { code: 'UnknownPolicy', detail: 'there is none' };
      response.end(sent === 304 ? undefined : JSON.stringify(body));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(() => {
    server.close();
    server.closeAllConnections();
  });

  const watched = (
    given: { readonly isScreen?: boolean; readonly output?: string; readonly isOneText?: true } = {},
  ) => {
    const [output, messages] = [new PassThrough(), new PassThrough()];
    output.on('data', (chunk: Buffer) => (written.output += chunk.toString()));
    messages.on('data', (chunk: Buffer) => (written.messages += chunk.toString()));
    const { isScreen = false, isOneText, ...options } = given;
    const terminal = { ...aTerminal(), output, messages, isScreen, whenInterrupted: () => ending.signal };
    const { port } = server.address() as AddressInfo;
    const context = { server: `http://127.0.0.1:${port}`, token: 'x' };
    return watchAnswer<Names>(
      { context, terminal, options },
      {
        load: (ask) => ask<Names>({ path: '/names' }),
        ...(isOneText && { isOneText }),
        show: (value) => ['NAME', ...value.names].map((name) => `${name}\n`).join(''),
      },
      5,
    );
  };
  const whenWritten = (text: string) => soon(text, () => (written.output.includes(text) ? true : undefined));
  const whenSaid = (text: string) => soon(text, () => (written.messages.includes(text) ? true : undefined));
  const asked = (count: number) => soon('questions', () => (statuses.length >= count ? true : undefined));

  it('prints the lines that are new, and has what has not changed sent no second time', async () => {
    const ended = watched();
    await asked(4);
    expect(statuses.slice(0, 4)).toEqual([200, 304, 304, 304]);
    names = ['cart', 'search'];
    await whenWritten('search');
    ending.abort();
    expect(await ended).toBe(0);
    expect(written).toEqual({ output: 'NAME\ncart\nsearch\n', messages: '' });
  });

  it('prints no line again that a wider column has moved', async () => {
    names = ['cart  4', 'search  5'];
    const ended = watched();
    await whenWritten('search');
    names = ['cart      4', 'search    5', 'checkout  6'];
    await whenWritten('checkout');
    ending.abort();
    await ended;
    expect(written.output).toBe('NAME\ncart  4\nsearch  5\ncheckout  6\n');
  });

  it('prints one text as a whole again, after an empty line', async () => {
    const ended = watched({ isOneText: true });
    await whenWritten('cart');
    names = ['cart', 'search'];
    await whenWritten('search');
    ending.abort();
    await ended;
    expect(written.output).toBe('NAME\ncart\n\nNAME\ncart\nsearch\n');
  });

  it('prints the whole anew on a screen, and a line per answer in JSON', async () => {
    const ended = watched({ isScreen: true });
    await whenWritten('cart');
    names = ['search'];
    await whenWritten('search');
    ending.abort();
    await ended;
    expect(written.output).toBe('\u001B[H\u001B[2JNAME\ncart\n\u001B[H\u001B[2JNAME\nsearch\n');
    ending = new AbortController();
    written.output = '';
    const lines = watched({ output: 'json' });
    await whenWritten('search');
    names = [];
    await whenWritten('[]');
    ending.abort();
    await lines;
    expect(written.output).toBe('{"names":["search"]}\n{"names":[]}\n');
  });

  it('waits for a controller that goes away, and says once that it is gone, and that it answers again', async () => {
    const ended = watched();
    await whenWritten('cart');
    status = 500;
    const before = statuses.length;
    await asked(before + 4);
    status = 200;
    await whenSaid('answers again');
    names = ['back'];
    await whenWritten('back');
    ending.abort();
    await ended;
    expect(written.output).toBe('NAME\ncart\nback\n');
    expect(written.messages).toMatch(/^plimsoll: .*; trying again\nplimsoll: http:.* answers again\n$/);
  });

  it('prints the same anew on a screen where a controller that was away answers again', async () => {
    const ended = watched({ isScreen: true });
    await whenWritten('cart');
    status = 500;
    await whenSaid('trying again');
    status = 200;
    await whenWritten('cart\n\u001B[H');
    ending.abort();
    await ended;
    expect(written.output).toBe('\u001B[H\u001B[2JNAME\ncart\n\u001B[H\u001B[2JNAME\ncart\n');
    expect(written.messages).toMatch(/^plimsoll: .*; trying again\n$/);
  });

  it('ends where the controller does not know the token any more, which it takes for a failure each time', async () => {
    const ended = watched();
    await whenWritten('cart');
    status = 401;
    await expect(ended).rejects.toThrow(UnknownTokenError);
    expect(statuses.filter((each) => each === 401)).toHaveLength(1);
  });

  it('ends where the controller refuses', async () => {
    status = 404;
    await expect(watched()).rejects.toThrow(RefusedError);
  });
});
