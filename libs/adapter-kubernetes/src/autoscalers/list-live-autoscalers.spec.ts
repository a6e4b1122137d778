import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type ListedAutoscalers, listLiveAutoscalers } from './list-live-autoscalers.ts';

interface Answer {
  readonly status?: number;
  readonly body?: object;
}

const v2 = '/apis/autoscaling/v2/namespaces/shop/horizontalpodautoscalers';
const v1 = '/apis/autoscaling/v1/namespaces/shop/horizontalpodautoscalers';
const wpa = '/apis/datadoghq.com/v1alpha1/namespaces/shop/watermarkpodautoscalers';
const gone = { status: 410, body: { message: 'the continue token is too old' } };
const forbidden = { status: 403, body: { message: 'forbidden' } };

const page = (names: readonly string[], token = ''): Answer => ({
  body: { items: names.map((name) => ({ metadata: { name } })), metadata: { continue: token } },
});

describe('listLiveAutoscalers', () => {
  let folder: string;
  let server: Server;
  /** By path and continue token: what is answered, one after another; the last one again and again. */
  let answers: Record<string, Answer[]>;
  const asked: string[] = [];

  const list = (): Promise<ListedAutoscalers> =>
    listLiveAutoscalers({ kubeconfig: join(folder, 'kubeconfig'), namespaces: ['shop'] });
  const names = ({ documents }: ListedAutoscalers): readonly unknown[] =>
    documents.map(({ apiVersion, metadata }) => [apiVersion, metadata]);

  beforeEach(async () => {
    asked.length = 0;
    server = createServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
      const key = `${pathname} ${searchParams.get('continue') ?? ''}`.trim();
      asked.push(key);
      const [first = { status: 404 }, ...rest] = answers[key] ?? [];
      if (rest.length > 0) answers[key] = rest;
      response.writeHead(first.status ?? 200).end(JSON.stringify(first.body ?? {}));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    folder = mkdtempSync(join(tmpdir(), 'plimsoll-list-'));
    writeFileSync(join(folder, 'kubeconfig'), kubeconfigFor(server));
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('begins a list anew whose pages expire on the way, and takes nothing twice', async () => {
    answers = { [v2]: [page(['a'], 't'), page(['a', 'b'])], [`${v2} t`]: [gone], [wpa]: [page(['w'])] };
    expect(names(await list())).toEqual([
      ['autoscaling/v2', { name: 'a' }],
      ['autoscaling/v2', { name: 'b' }],
      ['datadoghq.com/v1alpha1', { name: 'w' }],
    ]);
  });

  it('gives up where the pages always expire', async () => {
    answers = { [v2]: [page(['a'], 't')], [`${v2} t`]: [gone] };
    await expect(list()).rejects.toMatchObject({ code: 'Expired' });
    expect(asked.filter((path) => path === v2)).toHaveLength(3);
  });

  it('gives up on a server that repeats its continue token', async () => {
    answers = { [v2]: [page([], 't')], [`${v2} t`]: [page([], 't')] };
    await expect(list()).rejects.toMatchObject({ code: 'TooLarge' });
  });

  it('reads autoscaling/v1 where v2 is not served', async () => {
    answers = { [v1]: [page(['old'])], [wpa]: [page([])] };
    expect(names(await list())).toEqual([['autoscaling/v1', { name: 'old' }]]);
  });

  it('takes a refusal for the kind only where the cluster serves it', async () => {
    answers = { [v2]: [page(['a'])], [wpa]: [forbidden] };
    expect(await list()).toMatchObject({
      failures: [],
      notes: ['the cluster has no WatermarkPodAutoscaler (datadoghq.com/v1alpha1)'],
    });
    answers['/apis/datadoghq.com/v1alpha1'] = [{}];
    expect(await list()).toMatchObject({ failures: [expect.stringContaining('403 forbidden')], notes: [] });
  });

  it('throws where nothing may be listed', async () => {
    answers = { [v2]: [forbidden], '/apis/autoscaling/v2': [{}] };
    await expect(list()).rejects.toMatchObject({ code: 'Forbidden' });
  });
});

function kubeconfigFor(server: Server): string {
  const { port } = server.address() as AddressInfo;
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'c',
    clusters: [{ name: 'c', cluster: { server: `http://127.0.0.1:${port}` } }],
    users: [{ name: 'u', user: {} }],
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
  });
}
