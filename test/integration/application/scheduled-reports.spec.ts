import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { configurationSchema } from '#configuration';
import type { LedgerPort } from '#ledger';
import { grantEverywhere, type Principal } from '../../../apps/controller/src/auth/callers/principal.ts';
import { ledgerToken } from '../../../apps/controller/src/ledger/ledger.module.ts';
import { requestOf } from '../../../apps/controller/src/reports/report-order.ts';
import { ReportPress } from '../../../apps/controller/src/reports/report-press.ts';
import { ReportSchedules } from '../../../apps/controller/src/reports/report-schedules.ts';
import { soon } from '../../e2e/support/soon.ts';
import { type AnApplication, anApplication } from './an-application.ts';

jest.setTimeout(60_000);

interface Posted {
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** Answers 500 until it is opened. */
class Receiver {
  readonly posted: Posted[] = [];
  isOpen = false;
  readonly #server: Server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      this.posted.push({ headers: request.headers, text });
      response.writeHead(this.isOpen ? 204 : 500).end();
    });
  });

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/reports`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

describe('scheduled reports', () => {
  const receiver = new Receiver();
  let application: AnApplication;
  let schedules: ReportSchedules;
  beforeAll(async () => {
    const url = await receiver.listen();
    application = await anApplication({
      configuration: (folder) => {
        writeFileSync(join(folder, 'secret'), 'a secret of the receiver\n');
        return {
          reports: {
            schedules: [
              { name: 'weekly', folder: join(folder, 'weekly'), timeZone: 'Europe/Berlin', format: 'csv' },
              { name: 'posted', format: 'json', http: { url, secretFile: join(folder, 'secret') } },
            ],
          },
        };
      },
    });
    await application.nest.init();
    schedules = application.nest.get(ReportSchedules);
  });
  afterAll(async () => {
    await application.close();
    receiver.close();
  });

  const filesIn = (name: string): readonly string[] => {
    try {
      return readdirSync(join(application.folder, name));
    } catch {
      return [];
    }
  };
  const entriesOf = async (name: string) => {
    const { items } = await application.nest.get<LedgerPort>(ledgerToken).entries({
      kinds: ['OperatorAction'],
      actor: `schedule:${name}`,
      order: 'OldestFirst',
      limit: 100,
    });
    return items.map(
      ({ entry }) => entry.payload as { readonly outcome: string; readonly arguments: object },
    );
  };
  const degraded = async (): Promise<string> => {
    const answer = await fetch(`${application.url()}/readyz`);
    return answer.text();
  };

  const scheduled = (schedule: object) =>
    configurationSchema.parse({
      cluster: { name: 'test' },
      mode: 'Act',
      namespaces: ['*'],
      sources: [{ name: 'a', url: 'https://example.com/a.git' }],
      reports: { schedules: [schedule] },
    });
  const bo: Principal = { name: 'bo', grants: grantEverywhere('viewer') };

  it('are listed with when the next is made, to who may view all namespaces', async () => {
    await soon('the first of them', () => (schedules.list(bo)[0]?.reportedUntil === null ? undefined : true));
    const time = expect.stringMatching(/^\d{4}-.*Z$/);
    expect(schedules.list(bo)).toEqual([
      {
        ...{ name: 'weekly', cron: '0 0 * * 1', timeZone: 'Europe/Berlin', format: 'csv' },
        ...{ nextAt: time, reportedUntil: time, failingSince: null },
      },
      expect.objectContaining({ name: 'posted', nextAt: time }),
    ]);
    const ann: Principal = { name: 'ann', grants: [{ role: 'viewer', namespaces: ['shop'] }] };
    expect(schedules.list(ann)).toEqual([]);
  });

  it('are made at a start where the last was missed, once per period over restarts, and recorded', async () => {
    const recorded = await soon('the report', async () => {
      const entries = await entriesOf('weekly');
      return entries.length > 0 ? entries : undefined;
    });
    const files = filesIn('weekly');
    expect(files).toEqual([
      expect.stringMatching(/^test_weekly(?:_\d{4}-\d\d-\d\dT000000\+0[12]00){2}\.csv$/),
    ]);
    expect(recorded).toMatchObject([
      {
        action: 'MakeReport',
        outcome: 'Accepted',
        arguments: {
          schedule: 'weekly',
          status: 'Consistent',
          place: join(application.folder, 'weekly', files[0] ?? ''),
        },
      },
    ]);
    const text = readFileSync(join(application.folder, 'weekly', files[0] ?? ''), 'utf8');
    expect(text).toMatch(/\r\nStatement,,,,,,timeZone,,Europe\/Berlin,/);
    await schedules.stop();
    // What was posted before is made anew.
    receiver.posted.length = 0;
    schedules.start();
    await soon('the other schedule', () => schedules.counts.some(({ failed }) => failed > 0) || undefined);
    expect(await entriesOf('weekly')).toHaveLength(1);
    expect(schedules.counts).toContainEqual({ schedule: 'weekly', made: 0, failed: 0 });
  });

  it('that are not taken are told once, and posted again, signed, under the same id', async () => {
    await soon('a refusal', async () => ((await entriesOf('posted')).length > 0 ? true : undefined));
    expect(await degraded()).toContain('"what":"reports"');
    expect(application.log).toContainEqual(
      expect.objectContaining({ schedule: 'posted', reason: expect.stringContaining('status 500') }),
    );
    receiver.isOpen = true;
    await soon('the report', () => schedules.failing.length === 0 || undefined);
    expect(await degraded()).not.toContain('"what":"reports"');
    const outcomes = (await entriesOf('posted')).map(({ outcome }) => outcome);
    expect(outcomes.filter((outcome) => outcome === 'Accepted')).toHaveLength(1);
    expect(outcomes.at(-1)).toBe('Accepted');
    expect(new Set(receiver.posted.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    // Made once: it says when.
    expect(new Set(receiver.posted.map((posted) => posted.text)).size).toBe(1);
    expect(receiver.posted.length).toBeGreaterThan(1);
    expect(filesIn('data/reports')).toEqual([]);
    const { headers, text } = receiver.posted.at(-1) ?? { headers: {}, text: '' };
    const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${text}`;
    const signature = createHmac('sha256', 'a secret of the receiver').update(signed).digest('base64');
    expect(headers['webhook-signature']).toBe(`v1,${signature}`);
    expect(JSON.parse(text)).toMatchObject({ verification: { status: 'Consistent' } });
  });

  it('follow the configuration, and leave what has not changed as it is', async () => {
    const { reports } = scheduled({
      name: 'daily',
      cron: '0 6 * * *',
      folder: join(application.folder, 'daily'),
    });
    schedules.reconfigure(reports.schedules);
    await soon('the report', () => schedules.counts.some(({ made }) => made === 1) || undefined);
    expect(filesIn('daily')).toEqual([expect.stringMatching(/^test_daily(?:_.*T060000\+0000){2}\.html$/)]);
    schedules.reconfigure(reports.schedules);
    expect(schedules.counts).toEqual([{ schedule: 'daily', made: 1, failed: 0 }]);
  });

  it('wait for no report of a caller', async () => {
    const ending = new AbortController();
    const request = requestOf({ from: '2027-01-01' }, bo, '2027-02-01T00:00:00Z');
    const task = { request, format: 'json', maximumBytes: 1 } as const;
    const begin = (): Promise<void> => once(ending.signal, 'abort').then(() => undefined);
    const held = application.nest
      .get(ReportPress)
      .make({ ...task, file: join(application.folder, 'held') }, { signal: ending.signal, begin });
    const folder = join(application.folder, 'beside');
    schedules.reconfigure(scheduled({ name: 'beside', folder }).reports.schedules);
    await soon('the report', () => filesIn('beside').length === 1 || undefined);
    ending.abort();
    await expect(held).rejects.toThrow();
  });
});
