import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { LedgerPort, LedgerWriter } from '#ledger';
import { type ExportArguments, exportLedger } from '../../../apps/cli/src/audit/export-ledger.ts';
import { verify } from '../../../apps/cli/src/testing/audit.fixture.ts';
import { aTerminal } from '../../../apps/cli/src/testing/run-cli.fixture.ts';
import type { Role } from '../../../apps/controller/src/auth/callers/principal.ts';
import { administrationWriterToken, ledgerToken } from '../../../apps/controller/src/ledger/ledger.module.ts';
import { soon } from '../../e2e/support/soon.ts';
import { aDecisionDraft, anEventDraft, appended, timeAfter } from '../../support/ledger-builders.ts';
import { type AnApplication, anApplication } from './an-application.ts';

jest.setTimeout(40_000);

let application: AnApplication;
let exports = 0;

beforeAll(async () => {
  application = await anApplication();
  await application.nest.init();
  const ledger = application.nest.get<LedgerPort>(ledgerToken);
  await soon(
    'the first sync',
    async () => (await ledger.newestEntry({ stream: 'sync', kind: 'SyncRun' })) ?? undefined,
  );
  const writer = application.nest.get<LedgerWriter>(administrationWriterToken);
  for (let round = 0; round < 40; round += 1) {
    const names = ['cart', 'checkout', `a-${round}`];
    appended(
      await writer.append({
        drafts: names.flatMap((name) => [
          aDecisionDraft({ policy: { namespace: 'shop', name }, time: timeAfter(round) }),
          anEventDraft({ policy: { namespace: 'billing', name } }, timeAfter(round)),
        ]),
      }),
    );
  }
});
afterAll(() => application.close());

const at = (name: string): string => join(application.folder, name);

function tokenFile(role: 'viewer' | 'admin' = 'viewer'): string {
  writeFileSync(at(`${role}-token`), `${application.tokens[role]}\n`);
  return at(`${role}-token`);
}

async function anExport(options: Partial<ExportArguments> = {}, bytesPerFile?: number): Promise<string> {
  const output = at(`export-${(exports += 1)}`);
  const origin = options.database === undefined ? { server: application.url(), tokenFile: tokenFile() } : {};
  await exportLedger({ output, ...origin, ...options }, aTerminal(), bytesPerFile);
  return options.output ?? output;
}

function streamsOf(folder: string): readonly string[] {
  return readFileSync(join(folder, 'heads.ndjson'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { stream: string }).stream);
}

const everything = { from: null, until: null, namespaces: null, policies: null, kinds: null };

/** Begins an export as any client of HTTP does. */
function ask({
  signal = null,
  role = 'viewer',
  filter = everything,
  headers = {},
}: {
  readonly signal?: AbortSignal | null;
  readonly role?: Role;
  readonly filter?: object;
  readonly headers?: Readonly<Record<string, string>>;
}): Promise<Response> {
  return fetch(`${application.url()}/api/v1/ledger/exports`, {
    method: 'POST',
    signal,
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${application.tokens[role]}`,
      ...headers,
    },
    body: JSON.stringify({ filter, after: null }),
  });
}

describe('an export from a server', () => {
  it('gives its place back where the caller has gone before it begins', async () => {
    const begin = (signal: AbortSignal | null, role: Role = 'viewer') => ask({ signal, role });
    const listen = Reflect.get(Worker.prototype, 'on');
    for (const role of ['viewer', 'operator'] as const) {
      const leaving = new AbortController();
      // As soon as its thread is there: what the thread says first would begin the answer.
      const start = jest.spyOn(Worker.prototype, 'on').mockImplementation(function on(
        this: Worker,
        ...given
      ) {
        leaving.abort();
        return listen.apply(this, given);
      });
      await expect(begin(leaving.signal, role)).rejects.toThrow();
      start.mockRestore();
    }
    await soon('a place', async () => {
      const answer = await begin(null);
      const text = await answer.text();
      return (answer.status === 200 && text.endsWith('{"end":true}\n')) || undefined;
    });
  });

  it.each(['*/*', 'application/x-ndjson', 'text/html, application/*;q=0.1'])('accepts %s', async (accept) => {
    const answer = await ask({ headers: { accept } });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/x-ndjson']);
    expect(await answer.text()).toMatch(/\{"end":true\}\n$/);
  });

  it('is refused, and not recorded, where the caller accepts no lines', async () => {
    const ledger = application.nest.get<LedgerPort>(ledgerToken);
    const newestAction = () => ledger.newestEntry({ stream: 'admin', kind: 'OperatorAction' });
    const before = await newestAction();
    const answer = await ask({ headers: { accept: 'application/json' } });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      406,
      'application/problem+json; charset=utf-8',
    ]);
    expect(await answer.json()).toMatchObject({
      code: 'NotAcceptable',
      detail: 'this operation answers with application/x-ndjson',
    });
    expect(await newestAction()).toEqual(before);
  });

  it('is refused where its period is empty', async () => {
    const [from, until] = ['2026-11-20T12:00:00Z', '2026-11-20T12:00:00.000Z'];
    const answer = await ask({ filter: { ...everything, from, until } });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({
      code: 'BadArgument',
      detail: `"filter.until" is "${until}"; it wants a time after "filter.from"`,
    });
  });

  it('has the same entries as one from its database, and is recorded', async () => {
    const ofServer = await anExport({ namespace: ['shop'], kind: ['Decision'] });
    const ofDatabase = await anExport({
      database: `sqlite:${at('ledger.db')}`,
      namespace: ['shop'],
      kind: ['Decision'],
    });
    for (const name of readdirSync(ofDatabase).filter((each) => each !== 'manifest.json'))
      expect(readFileSync(join(ofServer, name), 'utf8')).toBe(readFileSync(join(ofDatabase, name), 'utf8'));
    expect(await verify(ofServer)).toMatchObject({
      status: 3,
      report: { status: 'Consistent', streams: 42 },
    });
    expect(streamsOf(ofServer).every((stream) => stream.startsWith('policy:shop/'))).toBe(true);
    const ledger = application.nest.get<LedgerPort>(ledgerToken);
    const action = await ledger.newestEntry({ stream: 'admin', kind: 'OperatorAction' });
    expect(action?.payload).toEqual({
      actor: 'the-viewer',
      action: 'ExportLedger',
      outcome: 'Accepted',
      reason: null,
      arguments: {
        from: null,
        until: null,
        namespaces: ['shop'],
        policies: null,
        kinds: ['Decision'],
        after: null,
      },
    });
  });

  it('is whole, its own record included, and goes on where it was cut off', async () => {
    const whole = await anExport({}, 20_000);
    expect(await verify(whole)).toMatchObject({ status: 3, report: { streams: 86 } });
    const cut = await cutOffAfter(60_000);
    const output = at('resumed');
    const options = { output, server: cut.url, tokenFile: tokenFile(), namespace: ['billing'] };
    await expect(exportLedger(options, aTerminal(), 5_000)).rejects.toThrow('--resume goes on');
    expect(existsSync(join(output, 'progress.json'))).toBe(true);
    await expect(anExport({ output, resume: true, namespace: ['billing'] })).rejects.toThrow(
      'was begun from',
    );
    // What comes meanwhile is not part of it.
    const writer = application.nest.get<LedgerWriter>(administrationWriterToken);
    const policy = { namespace: 'billing', name: 'a-0' };
    appended(await writer.append({ drafts: [anEventDraft({ policy }, timeAfter(99))] }));
    cut.through();
    await exportLedger({ ...options, resume: true }, aTerminal(), 5_000);
    await cut.close();
    expect(await verify(output)).toMatchObject({ status: 3, report: { streams: 42, entries: 120 } });
  });

  it.each<{ name: string; options: () => Partial<ExportArguments>; want: string }>([
    {
      name: 'a token that is none',
      options: () => {
        writeFileSync(at('wrong'), 'plm_wrong');
        return { tokenFile: at('wrong') };
      },
      want: 'refused the export: 401, a valid bearer token is required',
    },
    { name: 'no token', options: () => ({ tokenFile: at('none') }), want: 'cannot read' },
    {
      name: 'a server that is not there',
      options: () => ({ server: 'http://127.0.0.1:1' }),
      want: 'does not answer',
    },
    { name: 'plain HTTP', options: () => ({ server: 'http://example.com' }), want: 'is not https://' },
    { name: 'no URL', options: () => ({ server: 'example' }), want: 'is no URL' },
    {
      name: 'a server beside a database',
      options: () => ({ database: 'sqlite:x', server: 'https://example.com' }),
      want: 'name --database',
    },
  ])('refuses $name', async ({ options, want }) => {
    await expect(anExport(options())).rejects.toMatchObject({
      name: 'UnusableError',
      message: expect.stringContaining(want),
    });
  });

  it('answers what it does not understand with 400, and more than one of a caller, or two, at a time with 429', async () => {
    const post = (body: string, role: Role = 'viewer'): Promise<Response> =>
      fetch(`${application.url()}/api/v1/ledger/exports`, {
        method: 'POST',
        headers: { authorization: `Bearer ${application.tokens[role]}`, 'content-type': 'application/json' },
        body,
      });
    const all = { from: null, until: null, namespaces: null, policies: null, kinds: null };
    for (const body of [
      '{}',
      'null',
      '{',
      JSON.stringify({ filter: { ...all, from: 'yesterday' }, after: null }),
      JSON.stringify({ filter: { ...all, kinds: ['Nothing'] }, after: null }),
      JSON.stringify({ filter: all, after: { stream: 'admin', seq: '-1' } }),
    ])
      expect((await post(body)).status).toBe(400);
    const begun = (role: Role): Promise<Response> => post(JSON.stringify({ filter: all, after: null }), role);
    const roles = ['viewer', 'viewer', 'operator', 'admin'] as const;
    const answers = await Promise.all(roles.map(begun));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.slice(0, 2)).toContain(429);
    expect(statuses.toSorted()).toEqual([200, 200, 429, 429]);
    for (const answer of answers) await answer.body?.cancel();
  });
});

/** A proxy that ends an answer after so many bytes, until it is told to let all through. */
async function cutOffAfter(bytes: number): Promise<{
  readonly url: string;
  readonly through: () => void;
  readonly close: () => Promise<unknown>;
}> {
  let left = bytes;
  const server = createServer((request, response) => {
    void (async () => {
      const parts: Buffer[] = [];
      for await (const part of request as AsyncIterable<Buffer>) parts.push(part);
      const answer = await fetch(`${application.url()}${request.url ?? ''}`, {
        method: 'POST',
        headers: {
          authorization: request.headers.authorization ?? '',
          'content-type': 'application/json',
        },
        body: Buffer.concat(parts),
      });
      response.writeHead(answer.status);
      for await (const part of answer.body as unknown as AsyncIterable<Uint8Array>) {
        const shown = part.subarray(0, Math.max(0, left));
        await new Promise((resolve) => response.write(shown, resolve));
        left -= part.length;
        if (left > 0) continue;
        response.destroy();
        return;
      }
      response.end();
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    through: () => (left = Infinity),
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}
