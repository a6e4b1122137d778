import { describe, expect, it } from '@jest/globals';
import { webhookProviders } from '#configuration';
import { aDelivery, standardSignature } from '../../../../test/support/webhook-deliveries.ts';
import type { Delivery } from './delivery.ts';
import { type VerificationContext, verifyDelivery } from './verify-delivery.ts';

const nowSeconds = 1_795_000_000;
const secret = 'correct horse battery staple';
const signingToken = `whsec_${Buffer.from('thirty-two bytes of a signing key').toString('base64')}`;
const context = (...secrets: readonly string[]): VerificationContext => ({ secrets, nowSeconds });
const withHeaders = (delivery: Delivery, headers: Delivery['headers']): Delivery => ({
  ...delivery,
  headers: { ...delivery.headers, ...headers },
});

describe.each(webhookProviders)('a delivery of %s', (provider) => {
  it('is believed with the right secret, the old or the new one', () => {
    const delivery = aDelivery(provider, { secret });
    expect(verifyDelivery(provider, delivery, context('another', secret)).ok).toBe(true);
  });

  it('is not believed with another secret', () => {
    const delivery = aDelivery(provider, { secret: 'guessed' });
    expect(verifyDelivery(provider, delivery, context(secret))).toEqual({
      ok: false,
      error: 'SignatureMismatch',
    });
  });

  it('is not believed without a signature', () => {
    const delivery = { ...aDelivery(provider, { secret }), headers: {} };
    expect(verifyDelivery(provider, delivery, context(secret))).toEqual({
      ok: false,
      error: 'SignatureMissing',
    });
  });

  it('is known again by its id', () => {
    const first = verifyDelivery(provider, aDelivery(provider, { secret, id: 'one' }), context(secret));
    expect(first.ok && first.value.replayKeys).toContain('id:one');
  });
});

describe.each(['github', 'gitea', 'bitbucket', 'generic'] as const)('a signature of %s', (provider) => {
  it('covers every byte of the body', () => {
    const delivery = aDelivery(provider, { secret });
    const body = Buffer.concat([delivery.body, Buffer.from(' ')]);
    expect(verifyDelivery(provider, { ...delivery, body }, context(secret))).toEqual({
      ok: false,
      error: 'SignatureMismatch',
    });
  });
});

describe.each([
  ['github', 'x-hub-signature-256'],
  ['gitea', 'x-gitea-signature'],
  ['bitbucket', 'x-hub-signature'],
] as const)('the header of %s', (provider, header) => {
  it.each(['', 'sha256=', 'sha256=zz', 'sha256=00', `sha1=${'0'.repeat(40)}`, '0'.repeat(5_000)])(
    'is refused as %p',
    (value) => {
      const delivery = withHeaders(aDelivery(provider, { secret }), { [header]: value });
      expect(verifyDelivery(provider, delivery, context(secret)).ok).toBe(false);
    },
  );
});

describe('an unsigned id', () => {
  it('does not make a repetition new: the body is remembered too', () => {
    const keys = ['one', 'two'].map((id) => {
      const verified = verifyDelivery('github', aDelivery('github', { secret, id }), context(secret));
      return verified.ok ? verified.value.replayKeys : [];
    });
    expect(keys[0]?.[1]).toMatch(/^body:/);
    expect(keys[1]).toContain(keys[0]?.[1]);
  });
});

describe('a delivery of GitLab', () => {
  it('is believed by its signing token', () => {
    const delivery = aDelivery('gitlab', { secret: signingToken });
    expect(verifyDelivery('gitlab', delivery, context(signingToken))).toMatchObject({ ok: true });
  });

  it('is not believed when it sends the signing token in the clear', () => {
    const delivery = withHeaders(aDelivery('gitlab', { secret }), { 'x-gitlab-token': signingToken });
    expect(verifyDelivery('gitlab', delivery, context(signingToken))).toEqual({
      ok: false,
      error: 'SignatureMissing',
    });
  });

  it('may still send its token while the signing token is introduced', () => {
    expect(verifyDelivery('gitlab', aDelivery('gitlab', { secret }), context(signingToken, secret)).ok).toBe(
      true,
    );
  });
});

describe('the timestamp of a signed delivery', () => {
  it.each([
    { name: 'now', offset: 0, want: undefined },
    { name: 'five minutes old', offset: -300, want: undefined },
    { name: 'five minutes ahead', offset: 300, want: undefined },
    { name: 'older', offset: -301, want: 'TimestampOutOfBounds' },
    { name: 'further ahead', offset: 301, want: 'TimestampOutOfBounds' },
  ])('$name', ({ offset, want }) => {
    const delivery = aDelivery('generic', { secret, timestamp: nowSeconds + offset });
    const verified = verifyDelivery('generic', delivery, context(secret));
    expect(verified.ok ? undefined : verified.error).toBe(want);
  });

  it('cannot be moved: it is signed', () => {
    const old = aDelivery('generic', { secret, timestamp: nowSeconds - 86_400 });
    const moved = withHeaders(old, { 'webhook-timestamp': String(nowSeconds) });
    expect(verifyDelivery('generic', moved, context(secret))).toEqual({
      ok: false,
      error: 'SignatureMismatch',
    });
  });

  it.each([{ 'webhook-timestamp': 'soon' }, { 'webhook-timestamp': undefined }])(
    'is a number: %p',
    (headers) => {
      const delivery = withHeaders(aDelivery('generic', { secret }), headers);
      expect(verifyDelivery('generic', delivery, context(secret))).toEqual({
        ok: false,
        error: 'TimestampMissing',
      });
    },
  );

  it('stands beside an id', () => {
    const delivery = withHeaders(aDelivery('generic', { secret }), { 'webhook-id': undefined });
    expect(verifyDelivery('generic', delivery, context(secret))).toEqual({
      ok: false,
      error: 'DeliveryIdMissing',
    });
  });
});

describe('several signatures', () => {
  it('one that matches is enough, among eight', () => {
    const delivery = aDelivery('generic', { secret });
    const { 'webhook-signature': right } = delivery.headers;
    const wrong = standardSignature('wrong', { id: 'x', timestamp: 1, body: Buffer.from('') });
    const list = (count: number): Delivery =>
      withHeaders(delivery, {
        'webhook-signature': [...Array.from({ length: count }, () => wrong), String(right)].join(' '),
      });
    expect(verifyDelivery('generic', list(7), context(secret)).ok).toBe(true);
    expect(verifyDelivery('generic', list(8), context(secret)).ok).toBe(false);
  });
});
