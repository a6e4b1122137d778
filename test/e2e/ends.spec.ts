import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import type { ControllerProcess } from './support/controller-process.ts';
import { policyText, type ShopWorld, startShopWorld } from './support/shop-world.ts';

jest.setTimeout(120_000);

let world: ShopWorld;

beforeEach(async () => {
  world = await startShopWorld();
  world.repository.commit('Add checkout policy', { 'shop/checkout.yaml': policyText });
});
afterEach(() => world.stop());

const lastMessage = ({ log }: ControllerProcess): unknown => log.at(-1)?.['msg'];

it('ends at once while its first sync runs', async () => {
  const running = await world.startController({}, { until: 'Serving' });
  await expect(running.stop()).resolves.toBe(0);
  expect(lastMessage(running)).toBe('ended');
});

it('ends at once while a sync that was asked for runs', async () => {
  const running = await world.startController();
  world.repository.commit('Change it', {
    'shop/checkout.yaml': policyText.replace('maxReplicas: 12', 'maxReplicas: 13'),
  });
  const asked = running
    .query('mutation { syncNow(source: "policies") { __typename } }')
    .catch((error: unknown) => error);
  await expect(running.stop()).resolves.toBe(0);
  await asked;
  expect(lastMessage(running)).toBe('ended');
  expect(running.log.filter(({ level }) => Number(level) >= 50)).toEqual([]);
});

it.each([
  { by: 'launcher', signal: 'SIGKILL' },
  { by: 'launcher', signal: 'SIGTERM' },
  { by: 'npm', signal: 'SIGKILL' },
  { by: 'npm', signal: 'SIGTERM' },
] as const)('ends cleanly where $signal ends its $by', async ({ by, signal }) => {
  const running = await world.startController({}, { by });
  process.kill(running.pid, signal);
  await running.whenAllEnded();
  expect(lastMessage(running)).toBe('ended');
});

it('takes a signal to its whole group for one request to end', async () => {
  const running = await world.startController({}, { by: 'launcher', ownGroup: true });
  process.kill(-running.pid, 'SIGINT');
  await running.whenAllEnded();
  expect(lastMessage(running)).toBe('ended');
});
