import { writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { policyText, type ShopWorld, startShopWorld } from './support/shop-world.ts';
import { soon } from './support/soon.ts';

jest.setTimeout(180_000);

interface OtlpAttribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly boolValue?: boolean };
}

interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly attributes: readonly OtlpAttribute[];
}

interface OtlpRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly OtlpAttribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[];
  }[];
}

const target = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'checkout' };
const failing = 'the collector takes no traces; they are dropped';

describe('traces', () => {
  let world: ShopWorld;
  let collector: Server;
  let texts: string[];
  let headers: IncomingHttpHeaders[];
  let answers: (text: string) => number | 'Never';

  beforeEach(async () => {
    world = await startShopWorld();
    world.repository.commit('Add policy', { 'shop/checkout.yaml': policyText });
    texts = [];
    headers = [];
    answers = () => 200;
    collector = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        texts.push(text);
        headers.push(request.headers);
        const answer = answers(text);
        if (answer !== 'Never') response.writeHead(answer, { 'content-type': 'application/json' }).end('{}');
      });
    });
    await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
    const folder = join(world.folder, 'headers');
    await writeFile(folder, 'authorization: Bearer collector-secret\n');
  });
  afterEach(async () => {
    await world.stop();
    collector.closeAllConnections();
    collector.close();
  });

  const traces = (): object => ({
    url: `http://127.0.0.1:${(collector.address() as AddressInfo).port}/v1/traces`,
    headersFile: join(world.folder, 'headers'),
    samplePercent: 100,
  });

  const requests = (): readonly OtlpRequest[] => texts.map((text) => JSON.parse(text) as OtlpRequest);

  const spans = (): readonly OtlpSpan[] =>
    requests().flatMap(({ resourceSpans }) =>
      resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)),
    );

  /** The first trace of the name in which something of the part's name was done: its parts, in the order of their ends. */
  function partsOf(name: string, part: string): readonly string[] | undefined {
    const all = spans();
    const trees = all
      .filter((span) => span.name === name && (span.parentSpanId ?? '') === '')
      .map((root) => all.filter(({ parentSpanId }) => parentSpanId === root.spanId).map((each) => each.name));
    return trees.find((names) => names.includes(part));
  }

  function attributesOf(attributes: readonly OtlpAttribute[]): object {
    return Object.fromEntries(
      attributes.map(({ key, value }) => [key, value.stringValue ?? value.boolValue]),
    );
  }

  const replicas = (): unknown =>
    (world.simulator.objects.find(target)?.['spec'] as { readonly replicas?: number } | undefined)?.replicas;

  function useMuch(): void {
    world.simulator.load.setWorkload(
      { namespace: 'shop', kind: 'Deployment', name: 'checkout' },
      { app: { cpu: { kind: 'Constant', value: 1_800 }, share: 'Total' } },
    );
  }

  it('has each pass and each sync with its steps, and no secret', async () => {
    const controller = await world.startController({ traces: traces() });
    useMuch();
    const steps = await soon('a pass that writes, and a sync that activates', () => {
      const pass = partsOf('pass', 'write');
      const sync = partsOf('sync', 'activate');
      return pass === undefined || sync === undefined ? undefined : { pass, sync };
    });
    expect(steps).toEqual({
      pass: ['observe', 'decide', 'intent', 'write', 'outcome'],
      sync: ['fetch', 'verify', 'parse', 'judge', 'activate'],
    });
    const written = spans().find(({ spanId }) =>
      spans().some((span) => span.name === 'write' && span.parentSpanId === spanId),
    );
    expect(attributesOf(written?.attributes ?? [])).toMatchObject({
      'plimsoll.policy.namespace': 'shop',
      'plimsoll.policy.name': 'checkout',
      'plimsoll.outcome': 'Done',
      'plimsoll.reason': 'Scaled',
    });
    const [resource] = requests().flatMap(({ resourceSpans }) => resourceSpans.map((each) => each.resource));
    expect(attributesOf(resource?.attributes ?? [])).toMatchObject({
      'service.name': 'plimsoll',
      'k8s.cluster.name': 'e2e',
    });
    expect(headers[0]).toMatchObject({ authorization: 'Bearer collector-secret' });
    expect(await controller.stop()).toBe(0);
    expect(texts.join('')).not.toMatch(/secret|plm_|Bearer/);
  });

  it('of none are sent where none are sampled', async () => {
    const controller = await world.startController({ traces: { ...traces(), samplePercent: 0 } });
    useMuch();
    await soon('a scaling', () => (replicas() === 4 ? undefined : true));
    expect(await controller.stop()).toBe(0);
    expect(texts).toEqual([]);
  });

  it.each([
    { collects: 'refuses', answer: 503 },
    { collects: 'never answers', answer: 'Never' },
  ] as const)('disturb nothing where the collector $collects', async ({ answer }) => {
    answers = () => answer;
    const controller = await world.startController({ traces: traces() });
    useMuch();
    await soon('a scaling', () => (replicas() === 4 ? undefined : true));
    await soon('a line about it', () => controller.log.find(({ msg }) => msg === failing));
    await soon('a second batch', () => (texts.length > 1 ? true : undefined));
    expect(controller.log.filter(({ msg }) => msg === failing)).toHaveLength(1);
    expect(controller.log.filter(({ level }) => Number(level) >= 50)).toEqual([]);
    expect(await controller.stop()).toBe(0);
  });
});
