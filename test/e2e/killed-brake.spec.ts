import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { BrakeFleet } from './support/brake-fleet.ts';
import { soon } from './support/soon.ts';

jest.setTimeout(180_000);

const withoutWindow = (text: string): string =>
  `${text}  behavior: {scaleDown: {stabilizationWindowSeconds: 0}}\n`;

const suspensions = 'SELECT count(*) AS count FROM intervention';
const scalings = "SELECT count(*) AS count FROM ledger_entry WHERE kind = 'ScalingEvent'";

describe('the fleet brake of replicas', () => {
  let server: TestPostgres;
  let fleet: BrakeFleet | null = null;

  beforeAll(async () => {
    server = await startPostgres();
  });
  afterEach(async () => {
    await fleet?.stop();
    fleet = null;
  });
  afterAll(() => server.stop());

  it('closes, and nothing is lost, also where the leader is killed before it has looked', async () => {
    // Each of the two has fewer targets than close the brake.
    const options = {
      policiesPerShard: 1,
      policy: withoutWindow,
      terms: { leaseDurationSeconds: 4, renewDeadlineSeconds: 2.8, retryPeriodSeconds: 0.5 },
    };
    fleet = await BrakeFleet.start(server, 'killed', options);
    const { names } = fleet;
    await fleet.leader.kill();
    fleet.use(0);
    await soon('the suspension', async () => (await fleet?.count(suspensions)) === 1 || undefined);
    await soon('a decision on each that it stops', async () => {
      const stopped = await fleet?.count(
        "SELECT count(*) AS count FROM policy_state WHERE last_decision LIKE '%by fleet-brake until%'",
      );
      return stopped === names.length || undefined;
    });
    expect(fleet.counts()).toEqual(names.map(() => 8));
    expect(await fleet.count(scalings)).toBe(0);
  });

  it('stops the HPAs of a replica that counts too many while the leader, which would record it, hangs', async () => {
    // Each of the two has as many as it takes, and nothing expires meanwhile.
    const options = {
      policiesPerShard: 2,
      policy: (text: string) => `${text}  actuation: HorizontalPodAutoscaler\n`,
      terms: { leaseDurationSeconds: 600, renewDeadlineSeconds: 400, retryPeriodSeconds: 0.5 },
    };
    fleet = await BrakeFleet.start(server, 'hung', options);
    const { names, world } = fleet;
    const stopped = (): number =>
      world.simulator.objects
        .list({ apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', namespace: 'shop' })
        .filter(({ spec }) => JSON.stringify(spec).includes('Disabled')).length;
    expect(stopped()).toBe(0);
    process.kill(fleet.leader.pid, 'SIGSTOP');
    fleet.use(0);
    await soon('the stop in the HPAs of the other', () => stopped() === names.length / 2 || undefined);
    expect(await fleet.count(suspensions)).toBe(0);
    process.kill(fleet.leader.pid, 'SIGCONT');
    await soon('the suspension', async () => (await fleet?.count(suspensions)) === 1 || undefined);
    await soon('the stop in all HPAs', () => stopped() === names.length || undefined);
    expect(fleet.counts()).toEqual(names.map(() => 8));
  });
});
