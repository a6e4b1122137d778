import { expect, it } from '@jest/globals';
import { aWorldOf } from './testing/elected-world.ts';

// Of installations whose `coordination.name` is `plimsoll-replica` and `plimsoll-replica-east`.
it.each([
  'plimsoll-replica-leader',
  'plimsoll-replica-shard-3',
  'plimsoll-replica-replica-c',
  'plimsoll-replica-east-leader',
  'plimsoll-replica-east-shard-12',
  'plimsoll-replica-east-replica-c',
])('%s of another installation is no replica, and is not deleted', async (name) => {
  const [world, a, b] = await aWorldOf('a', 'b');
  await world.pass(2, 'a', 'b');
  const [own] = (await world.leases.list()).filter((lease) => lease.name === 'plimsoll-replica-a');
  const foreign = async () => (await world.leases.list()).find((lease) => lease.name === name);
  await world.leases.create(name, { ...own!.record, holder: 'c' });
  for (let round = 0; round < 6; round += 1) {
    const lease = await foreign();
    await world.leases.update(lease!, { ...lease!.record, renewTime: `2026-11-28T12:00:0${round}Z` });
    await world.pass(2, 'a', 'b');
    expect(a!.replicas.map(({ identity }) => identity)).toEqual(['a', 'b']);
  }
  expect(world.sharesOf(a!, b!)).toEqual([2, 2]);
  await world.pass(120, 'a', 'b');
  expect(await foreign()).toBeDefined();
  await Promise.all([a?.stop(), b?.stop()]);
});
