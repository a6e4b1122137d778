import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { type CliRun, runCliLines } from '../testing/run-cli.fixture.ts';

jest.setTimeout(120_000);

const whole = 'kind,namespace\r\nStatement,shop\r\n';
const begun = 'kind,namespace\r\n';

/** How a text ends before it is whole. */
const cuts: readonly { name: string; answer: (response: ServerResponse) => void; says: RegExp }[] = [
  {
    name: 'before its length',
    answer: (response) => breakOff(response.writeHead(200, { 'content-length': whole.length })),
    says: /cut off \([a-z ]+\)/,
  },
  {
    name: 'in its parts',
    answer: (response) => breakOff(response.writeHead(200)),
    says: /cut off \([a-z ]+\)/,
  },
  {
    name: 'at the end of a connection, where a proxy has taken its length away',
    answer: ({ socket }) => socket?.end(`HTTP/1.0 200 OK\r\n\r\n${begun}`),
    says: /cut off \(16 of its 32 bytes came\)/,
  },
];

function breakOff(response: ServerResponse): void {
  response.write(begun, () => response.destroy());
}

describe('a report that a controller sends', () => {
  let folder: string;
  let server: Server;
  let answer: (response: ServerResponse) => void;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'plimsoll-cut-'));
    server = createServer((request, response) => {
      if (request.url?.endsWith('/text') === true) answer(response);
      else response.writeHead(202, { 'content-type': 'application/json' }).end(JSON.stringify(made));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(() => {
    for (const name of readdirSync(folder)) rmSync(join(folder, name));
  });
  afterAll(() => {
    server.close();
    server.closeAllConnections();
    rmSync(folder, { recursive: true });
  });

  const made = {
    id: '0f0f0f0f-1111-4111-8111-111111111111',
    state: 'Ready',
    bytes: whole.length,
    verification: { status: 'Consistent', fault: null },
    nothingMatches: null,
  };
  const report = async (...options: readonly string[]): Promise<CliRun> => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const environment = { XDG_CONFIG_HOME: folder, PLIMSOLL_SERVER: url, PLIMSOLL_TOKEN: 'plm_x' };
    const line = ['report', '--from', '2027-01-01', '--format', 'csv', ...options];
    const [run] = await runCliLines(folder, [line], environment);
    return run ?? { status: null, stdout: '', stderr: '' };
  };

  it.each(cuts)('is none where it is cut off $name, and the one of before stays', async (cut) => {
    ({ answer } = cut);
    const file = join(folder, 'report.csv');
    for (const kept of [undefined, 'the one of before']) {
      if (kept !== undefined) writeFileSync(file, kept);
      const { status, stdout, stderr } = await report('--output', file);
      expect([status, stdout]).toEqual([2, '']);
      expect(stderr).toMatch(/^plimsoll: [^\n]+, and is not whole; ask for it again\n$/);
      expect(stderr).toMatch(cut.says);
      expect(existsSync(file) ? readFileSync(file, 'utf8') : undefined).toBe(kept);
      expect(readdirSync(folder)).toHaveLength(kept === undefined ? 0 : 1);
    }
  });

  it.each(cuts)('is said to be not whole where what came of one cut off $name is written', async (cut) => {
    ({ answer } = cut);
    const { status, stdout, stderr } = await report();
    expect([status, begun]).toEqual([2, expect.stringContaining(stdout)]);
    expect(stderr).toMatch(cut.says);
  });

  it('has its name once it is whole, with the rights that the file had, behind a link, too', async () => {
    answer = (response) => response.end(whole);
    const [file, link] = [join(folder, 'report.csv'), join(folder, 'latest.csv')];
    expect(await report('--output', file)).toEqual({ status: 0, stdout: '', stderr: '' });
    expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual([whole, 0o600]);
    writeFileSync(join(folder, 'public.csv'), 'x', { mode: 0o644 });
    symlinkSync('public.csv', link);
    expect(await report('--output', link)).toMatchObject({ status: 0 });
    const replaced = join(folder, 'public.csv');
    expect([readFileSync(replaced, 'utf8'), statSync(replaced).mode & 0o777]).toEqual([whole, 0o644]);
    expect(readdirSync(folder).sort()).toEqual(['latest.csv', 'public.csv', 'report.csv']);
  });

  it('leaves what somebody else has beside it, such as another report to the same name', async () => {
    answer = (response) => response.end(whole);
    const [file, other] = [join(folder, 'report.csv'), join(folder, 'report.csv.part')];
    writeFileSync(other, 'half of another');
    expect(await report('--output', file)).toMatchObject({ status: 0 });
    expect([readFileSync(file, 'utf8'), readFileSync(other, 'utf8')]).toEqual([whole, 'half of another']);
  });

  it('says of a file that cannot be written its own name', async () => {
    answer = (response) => response.end(whole);
    const file = join(folder, 'none', 'report.csv');
    expect(await report('--output', file)).toMatchObject({
      status: 2,
      stderr: `plimsoll: no such file or folder: ${file}\n`,
    });
  });

  it('is written to what is no file as it comes', async () => {
    answer = (response) => response.end(whole);
    expect(await report('--output', '/dev/null')).toMatchObject({ status: 0, stderr: '' });
    expect(await report('--output', '/dev/full')).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/^plimsoll: [^\n]+\n$/),
    });
  });
});
