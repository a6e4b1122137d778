import { describe, expect, it } from '@jest/globals';
import { webhookProviders } from '#configuration';
import { aDelivery } from '../../../../test/support/webhook-deliveries.ts';
import type { Delivery } from './delivery.ts';
import { concerns, readEvent } from './read-event.ts';

const secret = 's';
const main = { kind: 'Push', refs: ['refs/heads/main'] };

describe('readEvent', () => {
  it.each(webhookProviders)('reads the ref of a push of %s', (provider) => {
    expect(readEvent(provider, aDelivery(provider, { secret }))).toEqual(main);
    expect(readEvent(provider, aDelivery(provider, { secret, ref: 'refs/tags/v1' }))).toEqual({
      kind: 'Push',
      refs: ['refs/tags/v1'],
    });
  });

  it.each(webhookProviders)('takes a push of %s that it cannot read for a push of any ref', (provider) => {
    for (const body of [
      '',
      '{',
      '[]',
      '"x"',
      '{"ref": 7}',
      '{"push": {"changes": [7]}}',
      '{"changes": [{}]}',
    ]) {
      expect(readEvent(provider, aDelivery(provider, { secret, body }))).toEqual({
        kind: 'Push',
        refs: null,
      });
    }
  });

  it('takes a push that is too large to be parsed for one of any ref', () => {
    const body = '{"ref":"refs/heads/main"}'.padEnd(512 * 1024);
    expect(readEvent('github', aDelivery('github', { secret, body }))).toEqual(main);
    expect(readEvent('github', aDelivery('github', { secret, body: `${body} ` }))).toEqual({
      kind: 'Push',
      refs: null,
    });
  });

  it.each(['github', 'gitea', 'generic'] as const)('knows a ping of %s', (provider) => {
    expect(readEvent(provider, aDelivery(provider, { secret, event: 'ping' }))).toEqual({ kind: 'Ping' });
  });

  it.each(webhookProviders)('leaves other events of %s alone', (provider) => {
    expect(readEvent(provider, aDelivery(provider, { secret, event: 'issues' }))).toEqual({ kind: 'Other' });
  });

  it('reads a form of GitHub', () => {
    const plain = aDelivery('github', {
      secret,
      body: `payload=${encodeURIComponent('{"ref":"refs/heads/main"}')}`,
    });
    const delivery: Delivery = {
      ...plain,
      headers: { ...plain.headers, 'content-type': 'application/x-www-form-urlencoded' },
    };
    expect(readEvent('github', delivery)).toEqual(main);
  });

  it('reads a push, a deletion and a test of Bitbucket', () => {
    const read = (event: string, body: object) =>
      readEvent('bitbucket', aDelivery('bitbucket', { secret, event, body: JSON.stringify(body) }));
    expect(read('repo:refs_changed', { changes: [{ ref: { id: 'refs/heads/main' } }] })).toEqual(main);
    const gone = { push: { changes: [{ new: null, old: { type: 'branch', name: 'main' } }] } };
    expect(read('repo:push', gone)).toEqual(main);
    expect(read('diagnostics:ping', { test: true })).toEqual({ kind: 'Ping' });
  });
});

describe('concerns', () => {
  it.each([
    { ref: 'refs/heads/main', refs: ['refs/heads/main'], want: true },
    { ref: 'main', refs: ['refs/heads/other', 'refs/heads/main'], want: true },
    { ref: 'v1', refs: ['refs/tags/v1'], want: true },
    { ref: 'refs/heads/main', refs: ['refs/heads/main2'], want: false },
    { ref: 'refs/heads/main', refs: ['refs/tags/main'], want: false },
    { ref: 'main', refs: [], want: false },
    { ref: 'refs/heads/main', refs: null, want: true },
    { ref: 'HEAD', refs: ['refs/heads/x'], want: true },
    { ref: 'a'.repeat(40), refs: ['refs/heads/x'], want: true },
  ])('$ref after a push of $refs: $want', ({ ref, refs, want }) => {
    expect(concerns(refs, ref)).toBe(want);
  });
});
