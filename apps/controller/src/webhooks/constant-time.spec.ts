import * as crypto from 'node:crypto';
import { expect, it, jest } from '@jest/globals';
import { webhookProviders } from '#configuration';
import { aDelivery } from '../../../../test/support/webhook-deliveries.ts';

const compared: number[] = [];
jest.unstable_mockModule('node:crypto', () => ({
  ...crypto,
  timingSafeEqual: (left: Buffer, right: Buffer) => {
    compared.push(left.byteLength);
    return crypto.timingSafeEqual(left, right);
  },
}));
const { verifyDelivery } = await import('./verify-delivery.ts');

it.each(webhookProviders)('compares a delivery of %s in constant time, with every secret', (provider) => {
  compared.length = 0;
  const secrets = ['first', 'second', 'third'];
  const delivery = aDelivery(provider, { secret: 'first' });
  expect(verifyDelivery(provider, delivery, { secrets, nowSeconds: 1_795_000_000 }).ok).toBe(true);
  expect(compared).toEqual([32, 32, 32]);
});
