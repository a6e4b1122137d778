import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { LedgerPort, LedgerWriter } from '#ledger';
import { grantEverywhere, type Principal } from '../../../apps/controller/src/auth/callers/principal.ts';
import { RequestGate } from '../../../apps/controller/src/auth/gate/request-gate.ts';
import { administrationWriterToken, ledgerToken } from '../../../apps/controller/src/ledger/ledger.module.ts';
import { Reports } from '../../../apps/controller/src/reports/reports.ts';
import { soon } from '../../e2e/support/soon.ts';
import { aDecisionDraft, anEventDraft, appended, timeAfter } from '../../support/ledger-builders.ts';
import { type AnApplication, anApplication, codesOf } from './an-application.ts';
import { askRest, type RestAnswer } from './described-rest.ts';

jest.setTimeout(60_000);

const ann: Principal = { name: 'ann', grants: [{ role: 'viewer', namespaces: ['shop', 'team-*'] }] };
const bo: Principal = { name: 'bo', grants: grantEverywhere('viewer') };
const root: Principal = { name: 'root', grants: grantEverywhere('admin') };
const period = { from: timeAfter(-3_600), until: timeAfter(3_600) };

interface MadeReport {
  readonly id: string;
  readonly state: string;
  readonly verification: object | null;
}

describe('reports over the API', () => {
  let application: AnApplication;
  beforeAll(async () => {
    application = await anApplication({ callers: [ann, bo, root] });
    await application.nest.init();
    const writer = application.nest.get<LedgerWriter>(administrationWriterToken);
    const drafts = ['shop', 'books'].flatMap((namespace) => [
      aDecisionDraft({ policy: { namespace, name: 'web' }, time: timeAfter(0) }),
      anEventDraft({ policy: { namespace, name: 'web' } }, timeAfter(1)),
    ]);
    appended(await writer.append({ drafts }));
  });
  afterAll(() => application.close());

  const ask = (
    caller: string,
    path: string,
    given: {
      readonly method?: string;
      readonly body?: unknown;
      readonly headers?: Record<string, string>;
    } = {},
  ): Promise<RestAnswer> => {
    const { headers = {}, ...request } = given;
    const authorization = `Bearer ${application.callerTokens[caller] ?? ''}`;
    return askRest(application, { path, role: null, ...request, headers: { ...headers, authorization } });
  };
  const create = async (caller: string, body: object = {}): Promise<RestAnswer> =>
    ask(caller, '/reports', { method: 'POST', body: { ...period, ...body } });
  const whenMade = (caller: string, id: unknown): Promise<MadeReport> =>
    soon('the report', async () => {
      const { body } = await ask(caller, `/reports/${String(id)}`);
      const report = body as unknown as MadeReport;
      return report.state === 'Ready' || report.state === 'Failed' ? report : undefined;
    });
  const made = async (caller: string, body: object = {}): Promise<string> => {
    const created = await create(caller, body);
    expect(created.status).toBe(201);
    const { id, state } = await whenMade(caller, created.body['id']);
    expect(state).toBe('Ready');
    return id;
  };
  const actions = async (): Promise<readonly { readonly action: string; readonly actor: string }[]> => {
    const ledger = application.nest.get<LedgerPort>(ledgerToken);
    const { items } = await ledger.entries({ kinds: ['OperatorAction'], order: 'NewestFirst', limit: 50 });
    return items.map(({ entry }) => entry.payload as { readonly action: string; readonly actor: string });
  };

  it.each([
    { format: 'json', type: 'application/json', want: '"verification":{"status":"Consistent"' },
    { format: 'ndjson', type: 'application/x-ndjson', want: '{"verification":{"status":"Consistent"' },
    { format: 'csv', type: 'text/csv; charset=utf-8', want: 'Statement,,,,,,verification,,Consistent,' },
    { format: 'html', type: 'text/html; charset=utf-8', want: '</html>' },
  ])('is made and read as $format, recorded both', async ({ format, type, want }) => {
    const id = await made('bo', { format, timeZone: 'Europe/Berlin' });
    const { status, headers, text } = await ask('bo', `/reports/${id}/text`);
    expect({ status, type: headers.get('content-type') }).toEqual({ status: 200, type });
    // What reads it as text takes the mark at the beginning of CSV away.
    const mark = format === 'csv' ? 3 : 0;
    expect(Number(headers.get('content-length'))).toBe(Buffer.byteLength(text) + mark);
    expect(headers.get('content-disposition')).toBe(`attachment; filename="plimsoll-report-${id}.${format}"`);
    expect(text).toContain(want);
    expect((await actions()).slice(0, 2)).toMatchObject([
      { actor: 'bo', action: 'ReadReport', arguments: { id } },
      { actor: 'bo', action: 'MakeReport', arguments: { id, format, period: { timeZone: 'Europe/Berlin' } } },
    ]);
  });

  it('is not read, and so not recorded, where its headers alone are asked for', async () => {
    const id = await made('bo');
    const path = `/reports/${id}/text`;
    const head = await fetch(`${application.url()}/api/v1${path}`, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${application.callerTokens['bo'] ?? ''}` },
    });
    expect((await actions())[0]).toMatchObject({ actor: 'bo', action: 'MakeReport' });
    const read = await ask('bo', path);
    const shown = ['content-type', 'content-length', 'content-disposition'];
    expect([head.status, ...shown.map((name) => head.headers.get(name))]).toEqual([
      200,
      ...shown.map((name) => read.headers.get(name)),
    ]);
    expect((await actions())[0]).toMatchObject({ actor: 'bo', action: 'ReadReport' });
  });

  it('is not read on where its reader is let in no more', async () => {
    const id = await made('bo');
    const gate = application.nest.get(RequestGate);
    const callerOf = gate.callerOf.bind(gate);
    const again = jest.spyOn(gate, 'callerOf').mockImplementation((request) => {
      again.mockResolvedValue(undefined);
      return callerOf(request);
    });
    try {
      const cut = await ask('bo', `/reports/${id}/text`);
      expect(cut).toMatchObject({ status: 401, body: { code: 'Unauthenticated' } });
      expect(again).toHaveBeenCalledTimes(2);
    } finally {
      again.mockRestore();
    }
  });

  it('holds only what its maker may view, and says so', async () => {
    const id = await made('ann');
    const { body, text } = await ask('ann', `/reports/${id}/text`);
    const report = body as unknown as {
      readonly report: { readonly filter: object; readonly heads: readonly { readonly stream: string }[] };
      readonly rows: readonly { readonly namespace: string | null }[];
    };
    expect(report.report.filter).toMatchObject({ visibleNamespaces: ['shop', 'team-*'] });
    expect(report.report.heads.map(({ stream }) => stream)).toEqual(['admin', 'policy:shop/web']);
    expect(report.report).toMatchObject({
      leftOut: expect.stringContaining('needs viewer of all namespaces'),
    });
    expect(new Set(report.rows.map(({ namespace }) => namespace))).toEqual(new Set(['shop']));
    expect(text).not.toContain('books');
    const asked = await made('ann', { namespaces: ['*'] });
    expect((await ask('ann', `/reports/${asked}/text`)).text).not.toContain('books');
  });

  it('is its maker’s, and an administrator’s', async () => {
    const id = await made('ann');
    expect(await ask('bo', `/reports/${id}`)).toMatchObject({ status: 404, body: { code: 'UnknownReport' } });
    expect(await ask('bo', `/reports/${id}/text`)).toMatchObject({ body: { code: 'UnknownReport' } });
    const listed = async (caller: string) =>
      ((await ask(caller, '/reports?first=100')).body['items'] as readonly MadeReport[]).map(
        (each) => each.id,
      );
    expect(await listed('bo')).not.toContain(id);
    expect(await listed('root')).toContain(id);
    expect((await listed('ann'))[0]).toBe(id);
    expect((await ask('root', `/reports/${id}/text`)).status).toBe(200);
  });

  it('is asked for, and its state read, over GraphQL', async () => {
    const requested = await application.askAs(
      'bo',
      `mutation { requestReport(from: "${period.from}", until: "${period.until}", format: csv) { ... on Report { id state textPath } ... on ActionRefusal { code } } }`,
    );
    const { requestReport } = requested.body.data as { requestReport: MadeReport & { textPath: string } };
    expect(requestReport.textPath).toBe(`/api/v1/reports/${requestReport.id}/text`);
    await whenMade('bo', requestReport.id);
    const { body } = await application.askAs(
      'bo',
      `{ report(id: "${requestReport.id}") { state bytes verification { status } filter { teamLabel } } reports { id } }`,
    );
    expect(body.data).toMatchObject({
      report: { state: 'Ready', verification: { status: 'Consistent' }, filter: { teamLabel: 'team' } },
      reports: expect.arrayContaining([{ id: requestReport.id }]),
    });
    const late = await application.askAs(
      'bo',
      'mutation { requestReport(from: "2027-01-01", timeZone: "Mars") { ... on ActionRefusal { code message } } }',
    );
    expect(codesOf(late)).toEqual(['BadTime']);
  });

  it.each([
    { name: 'a zone that is none', body: { timeZone: 'Mars' }, code: 'BadTime' },
    { name: 'a period that has not ended', body: { until: '2999-01-01' }, code: 'BadTime' },
    {
      name: 'a period that is upside down',
      body: { from: period.until, until: period.from },
      code: 'BadTime',
    },
    { name: 'a pattern that is none', body: { namespaces: ['a b'] }, code: 'BadArgument' },
    { name: 'a policy without a namespace', body: { policies: ['web'] }, code: 'BadArgument' },
    { name: 'a format that is none', body: { format: 'pdf' }, code: 'BadArgument' },
    { name: 'a price without a currency', body: { price: { perReplicaHour: '1' } }, code: 'BadArgument' },
  ])('is refused for $name', async ({ body, code }) => {
    expect(await create('bo', body)).toMatchObject({ status: 400, body: { code } });
  });

  it('is refused to a reader that takes no text of its format', async () => {
    const id = await made('bo', { format: 'csv' });
    const headers = { accept: 'text/html' };
    expect(await ask('bo', `/reports/${id}/text`, { headers })).toMatchObject({ status: 406 });
  });

  it('is one of four at most that a person waits for, one after the other', async () => {
    const answers = await Promise.all(Array.from({ length: 6 }, () => create('bo')));
    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused.map(({ status, body }) => [status, body['code']])).toEqual(
      Array(2).fill([429, 'TooManyReports']),
    );
    const waiting = answers.filter(({ status }) => status === 201);
    for (const { body } of waiting) expect((await whenMade('bo', body['id'])).state).toBe('Ready');
  });

  it('is kept over a restart; one that was not made by then has failed', async () => {
    const id = await made('bo');
    const pending = await create('bo');
    const reports = application.nest.get(Reports);
    await reports.stop();
    await reports.start();
    expect((await ask('bo', `/reports/${id}/text`)).status).toBe(200);
    const failed = await whenMade('bo', pending.body['id']);
    expect(failed).toMatchObject({ state: 'Failed', problem: expect.stringMatching(/ended|aborted/) });
    expect(await ask('bo', `/reports/${failed.id}/text`)).toMatchObject({
      status: 409,
      body: { code: 'ReportNotReady' },
    });
    const files = readdirSync(join(application.folder, 'data/reports'));
    expect(files.filter((name) => name.startsWith(failed.id))).toEqual([`${failed.id}.json`]);
  });
});
