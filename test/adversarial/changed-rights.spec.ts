import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { LedgerWriter } from '#ledger';
import { grantEverywhere, type Principal } from '../../apps/controller/src/auth/callers/principal.ts';
import { TokenAuthenticator } from '../../apps/controller/src/auth/identities/token-authenticator.ts';
import { administrationWriterToken } from '../../apps/controller/src/ledger/ledger.module.ts';
import { type AnApplication, anApplication } from '../integration/application/an-application.ts';
import { anActionDraft, appended, timeAfter } from '../support/ledger-builders.ts';

jest.setTimeout(120_000);

/** Together 60 MB, which no buffers between two sockets take. */
const entries = 300;
const text = 'x'.repeat(200_000);

const filter = { from: null, until: null, namespaces: null, policies: null, kinds: null };

describe('a stream that is under way', () => {
  let application: AnApplication;
  beforeAll(async () => {
    application = await anApplication();
    await application.nest.init();
    const writer = application.nest.get<LedgerWriter>(administrationWriterToken);
    for (let part = 0; part < 6; part += 1) {
      const drafts = Array.from({ length: entries / 6 }, (_, index) =>
        anActionDraft('ada', timeAfter(part * 100 + index), { text }),
      );
      appended(await writer.append({ drafts }));
    }
  });
  afterAll(() => application.close());

  /** Asks as the viewer, and reads no further than the beginning. */
  async function begin(method: string, path: string): Promise<Socket> {
    const client = connect(Number(new URL(application.url()).port), '127.0.0.1');
    const body = method === 'POST' ? JSON.stringify({ filter, after: null }) : '';
    client.write(
      [
        `${method} ${path} HTTP/1.1`,
        'Host: 127.0.0.1',
        `Authorization: Bearer ${application.tokens.viewer}`,
        'Accept: application/x-ndjson',
        'Connection: close',
        ...(body === '' ? [] : ['Content-Type: application/json', `Content-Length: ${body.length}`]),
        `\r\n${body}`,
      ].join('\r\n'),
    );
    const [first] = (await once(client, 'data')) as [Buffer];
    client.pause();
    expect(first.toString()).toContain('HTTP/1.1 200 OK');
    return client;
  }

  /** What is still to come, and whether it came to the end that chunks have. */
  async function rest(client: Socket): Promise<{ readonly bytes: number; readonly isWhole: boolean }> {
    let bytes = 0;
    let end = '';
    client.on('error', () => undefined);
    client.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      end = `${end}${chunk.toString('latin1')}`.slice(-7);
    });
    client.resume();
    await once(client, 'close');
    return { bytes, isWhole: end.endsWith('0\r\n\r\n') };
  }

  /** As a reload of the configuration leaves it; null: its token is gone. */
  function regrant(grants: Principal['grants'] | null): void {
    const records = application.tokenRecords.flatMap((record) => {
      if (record.name !== 'the-viewer') return [record];
      return grants === null ? [] : [{ ...record, grants }];
    });
    application.nest.get(TokenAuthenticator).replace(records);
  }

  const lists = { method: 'GET', path: '/api/v1/audit-entries?kind=OperatorAction' };
  const exports = { method: 'POST', path: '/api/v1/ledger/exports' };
  const everything = grantEverywhere('viewer');
  const shop: Principal['grants'] = [{ role: 'viewer', namespaces: ['shop'] }];

  it.each([
    { ...lists, name: 'the token is gone', grants: null, want: false },
    { ...lists, name: 'its caller may view a part only', grants: shop, want: false },
    { ...lists, name: 'its caller may do more', grants: grantEverywhere('admin'), want: true },
    { ...exports, name: 'the token is gone', grants: null, want: false },
    { ...exports, name: 'its caller may view a part only', grants: shop, want: false },
  ])('of $path is whole, where $name: $want', async ({ method, path, grants, want }) => {
    regrant(everything);
    const client = await begin(method, path);
    regrant(grants);
    const { bytes, isWhole } = await rest(client);
    expect([isWhole, bytes > (entries * text.length) / 2]).toEqual([want, want]);
  });
});
