import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { openLedgerDatabase } from '#adapter-sql';
import type { ControllerProcess } from './support/controller-process.ts';
import { createPolicyRepository } from './support/policy-repository.ts';
import { policyText, type ShopWorld, startShopWorld } from './support/shop-world.ts';
import { soon } from './support/soon.ts';

jest.setTimeout(120_000);

let world: ShopWorld;
let server: Server | undefined;

beforeEach(async () => {
  world = await startShopWorld();
  world.repository.commit('Add checkout policy', { 'shop/checkout.yaml': policyText });
});
afterEach(async () => {
  server?.close();
  await world.stop();
});

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

it('ends the syncs of a Git server that hangs and of a file that takes long to parse, and records no failure of them', async () => {
  server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const isReached = once(server, 'connection');
  const busy = createPolicyRepository(join(world.folder, 'busy'));
  busy.commit('Add a large file', { 'large.yaml': largeText });
  const { sources } = world.configuration as { readonly sources: readonly object[] };
  const running = await world.startController(
    {
      sources: [
        ...sources,
        { name: 'hangs', url: `http://127.0.0.1:${port}/policies.git` },
        { name: 'busy', url: busy.url },
      ],
    },
    { until: 'Serving' },
  );
  await isReached;
  await soon('a git', async () => ((await commandsWith(`:${port}/`)).length > 0 ? true : undefined));
  await soon('a parser', async () =>
    (await threadsOf(running)).includes('policy-parser') ? true : undefined,
  );
  await expect(running.stop()).resolves.toBe(0);
  expect(lastMessage(running)).toBe('ended');
  expect(await commandsWith(`:${port}/`)).toEqual([]);
  expect(running.log.filter(({ level }) => Number(level) >= 40)).toEqual([]);
  expect(await failedSyncs()).toEqual([]);
});

/** Seconds of parsing, which are cut off. */
const largeText = `${policyText}  unknown:\n${'    - {a: {b: [c, d, {e: f}]}}\n'.repeat(150_000)}`;

/** The command lines of processes that name something. */
async function commandsWith(text: string): Promise<readonly string[]> {
  const processes = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const commands = await Promise.all(
    processes.map((id) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')),
  );
  return commands.filter((command) => command.includes(text));
}

/** The names of its threads. */
async function threadsOf({ pid }: ControllerProcess): Promise<readonly string[]> {
  const folder = `/proc/${pid}/task`;
  const names = (await readdir(folder)).map((id) =>
    readFile(join(folder, id, 'comm'), 'utf8').catch(() => ''),
  );
  return (await Promise.all(names)).map((name) => name.trim());
}

/** What the ledger has of syncs that failed. */
async function failedSyncs(): Promise<readonly string[]> {
  const { database } = world.configuration as { readonly database: { readonly url: string } };
  const { ledger, close } = await openLedgerDatabase(database);
  const { items } = await ledger.entries({ kinds: ['SyncRun'], order: 'OldestFirst', limit: 100 });
  await close();
  return items.flatMap(({ entry }) =>
    entry.kind === 'SyncRun' && entry.payload.outcome === 'failed' ? [entry.payload.message] : [],
  );
}

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
