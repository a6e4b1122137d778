import { beforeEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { webhookProviders } from '#configuration';
import { aDelivery } from '../../../../test/support/webhook-deliveries.ts';
import { ReplayGuard } from './replay-guard.ts';
import { SyncTrigger } from './sync-trigger.ts';
import { WebhookReceiver } from './webhook-receiver.ts';

const start = 1_795_000_000_000;

describe('a receiver', () => {
  let now: number;
  let lines: Readonly<Record<string, unknown>>[];
  let secrets: readonly string[];
  let triggered: string[];
  let receiver: WebhookReceiver;

  beforeEach(() => {
    now = start;
    lines = [];
    secrets = ['first-secret'];
    triggered = [];
    const stream = { write: (line: string) => lines.push(JSON.parse(line) as Record<string, unknown>) };
    receiver = new WebhookReceiver({
      sources: (['github', 'gitlab', 'generic'] as const).map((provider) => ({
        name: provider,
        ref: 'refs/heads/main',
        provider,
        secretFile: '/run/secrets/webhook',
      })),
      isActive: () => true,
      loadSecrets: () =>
        secrets.length === 0
          ? Promise.reject(new Error('/run/secrets/webhook: permission denied'))
          : Promise.resolve(secrets),
      trigger: (source) => {
        triggered.push(source);
        return 'Started';
      },
      now: () => now,
      logger: pino({ level: 'debug' }, stream),
    });
  });

  it('turns a verified push of the ref into one sync, and its repetition into none', async () => {
    const delivery = aDelivery('github', { secret: 'first-secret' });
    expect(await receiver.receive('github', delivery)).toEqual({ status: 202, result: 'Started' });
    expect(await receiver.receive('github', delivery)).toEqual({ status: 200, result: 'Duplicate' });
    const renamed = { ...delivery, headers: { ...delivery.headers, 'x-github-delivery': 'another' } };
    expect(await receiver.receive('github', renamed)).toEqual({ status: 200, result: 'Duplicate' });
    expect(triggered).toEqual(['github']);
  });

  it.each([
    { name: 'a ping', plan: { event: 'ping' }, want: { status: 200, result: 'Pong' } },
    { name: 'another event', plan: { event: 'star' }, want: { status: 200, result: 'Ignored' } },
    { name: 'another ref', plan: { ref: 'refs/heads/feature' }, want: { status: 200, result: 'Ignored' } },
  ])('answers $name and syncs nothing', async ({ plan, want }) => {
    expect(
      await receiver.receive('github', aDelivery('github', { secret: 'first-secret', ...plan })),
    ).toEqual(want);
    expect(triggered).toEqual([]);
  });

  it('follows a rotation without a restart', async () => {
    const old = aDelivery('github', { secret: 'first-secret', id: 'old' });
    const fresh = aDelivery('github', { secret: 'second-secret', id: 'new' });
    expect(await receiver.receive('github', fresh)).toMatchObject({ code: 'DeliveryRefused' });
    secrets = ['second-secret', 'first-secret'];
    expect(await receiver.receive('github', fresh)).toMatchObject({ status: 202 });
    secrets = ['second-secret'];
    expect(await receiver.receive('github', old)).toMatchObject({ code: 'DeliveryRefused' });
  });

  it('accepts no delivery while the secret cannot be read, and says why in the log only', async () => {
    secrets = [];
    const answer = await receiver.receive('github', aDelivery('github', { secret: 'first-secret' }));
    expect(answer).toMatchObject({ status: 401, code: 'DeliveryRefused' });
    expect(JSON.stringify(answer)).not.toContain('/run/secrets');
    expect(lines).toEqual([
      expect.objectContaining({
        reason: 'SecretUnreadable',
        hint: 'webhook.secretFile: /run/secrets/webhook: permission denied',
      }),
    ]);
  });

  it('refuses unsigned deliveries before the body, whatever the name', () => {
    const answers = ['nothing', 'github', 'gitlab'].map((name) => receiver.refuseEarly(name, {}));
    expect(answers).toEqual(answers.map(() => answers[0]));
    expect(answers[0]).toMatchObject({ status: 401, code: 'DeliveryRefused' });
    const form = '0'.repeat(64);
    const odd = [
      { 'x-gitlab-token': 'x' },
      { 'x-hub-signature-256': 'x', 'x-github-event': 'push', 'x-github-delivery': '1' },
      { 'x-hub-signature-256': `sha256=${form}`, 'x-github-delivery': '1' },
      { 'x-hub-signature-256': `sha256=${form}`, 'x-github-event': 'push' },
      { 'webhook-signature': 'v2,x', 'webhook-id': '1' },
      { 'webhook-signature': 'v1,x' },
    ];
    for (const name of ['nothing', 'github', 'gitlab']) {
      for (const headers of odd) expect(receiver.refuseEarly(name, headers)).toEqual(answers[0]);
      for (const provider of webhookProviders) {
        const { headers } = aDelivery(provider, { secret: 'any' });
        expect(receiver.refuseEarly(name, headers)).toBeUndefined();
      }
    }
    expect(lines.map(({ source, reason }) => [source, reason])).toContainEqual(['github', 'EventMissing']);
    expect(lines.map(({ source, reason }) => [source, reason])).toContainEqual([
      'github',
      'DeliveryIdMissing',
    ]);
  });

  it('reveals nothing of sources, providers and secrets to senders without the secret', async () => {
    const wrong = webhookProviders.map((provider) => aDelivery(provider, { secret: 'wrong' }));
    const unsigned = { headers: {}, body: Buffer.from('{}') };
    const odd = { headers: { 'webhook-signature': 'v1,x' }, body: Buffer.from('{}') };
    const answers = [];
    for (const name of ['nothing', 'github', 'gitlab', 'generic', '', '__proto__'])
      for (const delivery of [...wrong, unsigned, odd]) answers.push(await receiver.receive(name, delivery));
    // The secret of one source opens no name that none has.
    answers.push(await receiver.receive('nothing', aDelivery('github', { secret: 'first-secret' })));
    secrets = [];
    answers.push(await receiver.receive('github', aDelivery('github', { secret: 'first-secret' })));
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(triggered).toEqual([]);
  });

  it('logs a refusal at info, once a minute per source and reason', async () => {
    const wrong = aDelivery('github', { secret: 'wrong' });
    for (let time = 0; time < 5; time += 1) await receiver.receive('github', wrong);
    await receiver.receive('gitlab', aDelivery('gitlab', { secret: 'wrong-token' }));
    now += 60_000;
    await receiver.receive('github', wrong);
    expect(lines.map(({ level, source, reason, alike }) => [level, source, reason, alike])).toEqual([
      [30, 'github', 'SignatureMismatch', 0],
      [30, 'gitlab', 'SignatureMismatch', 0],
      [30, 'github', 'SignatureMismatch', 4],
    ]);
  });

  it('puts no secret, signature or word of the sender into a log line or an answer', async () => {
    const deliveries = [
      ['github', aDelivery('github', { secret: 'wrong-secret', body: '{"ref": "sender-words"}' })],
      ['gitlab', aDelivery('gitlab', { secret: 'wrong-secret' })],
      ['github', aDelivery('github', { secret: 'first-secret' })],
      ['sender-words', aDelivery('generic', { secret: 'first-secret' })],
    ] as const;
    const answers = [];
    for (const [name, delivery] of deliveries) answers.push(await receiver.receive(name, delivery));
    const text = JSON.stringify([answers, lines]);
    for (const secret of ['first-secret', 'wrong-secret', 'sender-words', 'sha256=', 'v1,'])
      expect(text).not.toContain(secret);
  });

  it('takes a signed delivery once within its five minutes, and never after', async () => {
    const delivery = aDelivery('generic', { secret: 'first-secret', timestamp: start / 1000 });
    expect(await receiver.receive('generic', delivery)).toMatchObject({ status: 202 });
    now += 299_000;
    expect(await receiver.receive('generic', delivery)).toMatchObject({ result: 'Duplicate' });
    now += 2_000;
    expect(await receiver.receive('generic', delivery)).toMatchObject({ code: 'TimestampOutOfBounds' });
  });
});

describe('the memory of deliveries', () => {
  it('stays bounded, and forgets the oldest first', () => {
    const guard = new ReplayGuard(() => start);
    for (let count = 0; count < 10_000; count += 1) expect(guard.isRepetition([`id:${count}`])).toBe(false);
    expect(guard.size).toBeLessThanOrEqual(4_096);
    expect(guard.isRepetition(['id:9999'])).toBe(true);
    expect(guard.isRepetition(['id:0'])).toBe(false);
  });

  it('is not emptied by one delivery that comes again under other ids', () => {
    const guard = new ReplayGuard(() => start);
    guard.isRepetition(['id:0', 'body:x']);
    for (let count = 1; count < 10_000; count += 1)
      expect(guard.isRepetition([`id:${count}`, 'body:x'])).toBe(true);
    expect(guard.size).toBe(2);
  });

  it('forgets after a day', () => {
    let now = start;
    const guard = new ReplayGuard(() => now);
    guard.isRepetition(['id:1']);
    now += 24 * 3_600_000 - 1;
    expect(guard.isRepetition(['id:1'])).toBe(true);
    now += 1;
    expect(guard.isRepetition(['id:1'])).toBe(false);
  });
});

describe('a trigger', () => {
  it('runs one sync of a source at a time and queues one, however many ask', async () => {
    const started: { readonly source: string; readonly end: () => void }[] = [];
    const trigger = new SyncTrigger(
      (source) => new Promise<void>((resolve) => started.push({ source, end: resolve })),
    );
    const names = (): readonly string[] => started.map(({ source }) => source);
    expect(['a', 'a', 'a', 'b', 'a'].map((source) => trigger.request(source))).toEqual([
      'Started',
      'Queued',
      'Queued',
      'Started',
      'Queued',
    ]);
    expect(names()).toEqual(['a', 'b']);
    started[0]?.end();
    await turn();
    expect(names()).toEqual(['a', 'b', 'a']);
    started[2]?.end();
    await turn();
    expect(trigger.request('a')).toBe('Started');
    expect(names()).toEqual(['a', 'b', 'a', 'a']);
  });

  it('outlives a sync that fails, and at the end waits for what runs', async () => {
    const ends: (() => void)[] = [];
    let count = 0;
    const trigger = new SyncTrigger(() => {
      count += 1;
      return count === 1 ? Promise.reject(new Error('down')) : new Promise<void>((end) => ends.push(end));
    });
    trigger.request('a');
    await turn();
    trigger.request('a');
    trigger.request('a');
    const stopped = trigger.stop();
    ends[0]?.();
    await stopped;
    expect(count).toBe(2);
  });
});

/** Lets what has been resolved go on. */
async function turn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}
