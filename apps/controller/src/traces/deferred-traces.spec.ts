import { expect, it } from '@jest/globals';
import { pino } from 'pino';
import { configurationSchema } from '#configuration';
import { DeferredTraces } from './deferred-traces.ts';

it('does the work untraced where no collector is configured', async () => {
  const configuration = configurationSchema.parse({
    cluster: { name: 'prod' },
    mode: 'Observe',
    namespaces: ['shop'],
    sources: [{ name: 'policies', url: 'https://git.example.com/p.git' }],
  });
  const traces = new DeferredTraces(configuration, pino({ level: 'silent' }));
  const work = (): Promise<string> =>
    traces.trace('pass', {}, (span) =>
      span.step('observe', () => Promise.resolve(span.compute('decide', () => 'done'))),
    );
  expect(await work()).toBe('done');
  await traces.open();
  expect(await work()).toBe('done');
  await traces.close();
});
