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
});
