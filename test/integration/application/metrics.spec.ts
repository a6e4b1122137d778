import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { ControllerMetrics } from '../../../apps/controller/src/metrics/controller-metrics.ts';
import { MetricsServer } from '../../../apps/controller/src/metrics/metrics-server.ts';
import { policyMetrics } from '../../../apps/controller/src/metrics/policy-metrics.ts';
import { soon } from '../../e2e/support/soon.ts';
import { type AnApplication, anApplication } from './an-application.ts';

jest.setTimeout(60_000);

const specification = new URL('../../../docs/spec/metrics.md', import.meta.url);

describe('the metrics', () => {
  let application: AnApplication;

  beforeAll(async () => {
    application = await anApplication();
    await application.nest.init();
  });
  afterAll(() => application.close());

  const scrape = async (): Promise<string> => (await fetch(application.nest.get(MetricsServer).url)).text();

  it('are those of docs/spec/metrics.md, with type and labels', async () => {
    const written = [...(await readFile(specification, 'utf8')).matchAll(row)].map(
      ([, name, type, labels = '']) => ({
        name,
        type,
        labels: [...labels.matchAll(/`(\w+)`/g)].map(([, label]) => label),
      }),
    );
    const { registry } = application.nest.get(ControllerMetrics);
    const served = new Map(
      [...(await scrape()).matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name, type]),
    );
    const own = registry.getMetricsAsArray().filter(({ name }) => !/^(process|nodejs)_/.test(name));
    const registered = own.map((metric) => ({
      name: metric.name,
      type: served.get(metric.name),
      labels: (metric as unknown as { readonly labelNames: readonly string[] }).labelNames,
    }));
    const perPolicy = policyMetrics.map(({ name, labels }) => ({ name, type: served.get(name), labels }));
    expect(sorted(written)).toEqual(sorted([...registered, ...perPolicy]));
    expect(policyMetrics.map(({ type }) => type)).toEqual(perPolicy.map(({ type }) => type));
    const known = new Set(written.map(({ name }) => name));
    const others = [...served.keys()].filter(
      (name) => !known.has(name) && !/^(process|nodejs)_/.test(name ?? ''),
    );
    expect(others).toEqual([]);
  });

  it('are read, and nothing else', async () => {
    const { url } = application.nest.get(MetricsServer);
    const answers = await Promise.all([
      fetch(`${url}?name=up`),
      fetch(url, { method: 'POST' }),
      fetch(new URL('/other', url)),
    ]);
    expect(answers.map(({ status, headers }) => [status, headers.get('allow')])).toEqual([
      [200, null],
      [405, 'GET'],
      [404, null],
    ]);
  });

  it('tell what became of a source', async () => {
    const value = async (name: string): Promise<number | undefined> => {
      const found = new RegExp(
        `^plimsoll_source_${name}{source="policies",cluster="\\w+"} (\\S+)$`,
        'm',
      ).exec(await scrape());
      return found === null ? undefined : Number(found[1]);
    };
    const sync = 'mutation { syncNow(source: "policies") { __typename } }';
    application.repository.commit('Break it', {
      'a.yaml': 'kind: AutoscalingPolicy\napiVersion: plimsoll.dev/v1alpha1\n',
    });
    await application.ask(sync);
    await soon('errors are counted', async () => ((await value('errors')) ?? 0) > 0 || undefined);
    expect(await value('stale_seconds')).toBe(0);
    expect(await value('holds')).toBe(0);
    expect(Math.abs(((await value('sync_timestamp_seconds')) ?? 0) - Date.now() / 1_000)).toBeLessThan(60);
  });

  it('count refused webhooks', async () => {
    await fetch(`${application.url()}/webhooks/nowhere`, { method: 'POST', body: '{}' });
    expect(await scrape()).toMatch(
      /^plimsoll_webhook_refusals_total\{source="",reason="SignatureMissing",cluster="\w+"\} 1$/m,
    );
  });
});

const row = /^\| `(\w+)` \| (counter|gauge|histogram) \|([^|]*)\|/gm;

function sorted<T extends { readonly name: string | undefined }>(metrics: readonly T[]): readonly T[] {
  return metrics.toSorted((one, other) => ((one.name ?? '') < (other.name ?? '') ? -1 : 1));
}
