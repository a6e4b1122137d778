import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { BrakeFleet } from './support/brake-fleet.ts';
import { startTimeoutMilliseconds } from './support/make-replica.ts';
import { soon } from './support/soon.ts';

/** Two starts of a machine that is busy, and what is waited for after them. */
jest.setTimeout(2 * startTimeoutMilliseconds + 180_000);

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

  const often = (text: string): string => withoutWindow(text).replace(/interval: \d+s/, 'interval: 5s');

  it.each(['leader', 'follower'] as const)(
    'closes, and nothing is lost, also where the database answers the %s slowly',
    async (slow) => {
      // Each of the two has fewer targets than close the brake, and a count takes seconds to be stored.
      const terms = { leaseDurationSeconds: 15, renewDeadlineSeconds: 10, retryPeriodSeconds: 2 };
      fleet = await BrakeFleet.start(server, `slow_${slow}`, { policiesPerShard: 1, policy: often, terms });
      fleet.slowDatabase(fleet[slow], 400);
      fleet.use(0);
      await soon('the suspension', async () => (await fleet?.count(suspensions)) === 1 || undefined);
      expect(fleet.counts()).toEqual(fleet.names.map(() => 8));
      expect(await fleet.count(scalings)).toBe(0);
    },
  );

  const rendered = (text: string): string => `${text}  actuation: HorizontalPodAutoscaler\n`;
  const stoppedHpas = ({ world }: BrakeFleet): number =>
    world.simulator.objects
      .list({ apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', namespace: 'shop' })
      .filter(({ spec }) => JSON.stringify(spec).includes('Disabled')).length;

  it('stops the HPAs of a replica that counts too many while the leader, which would record it, hangs', async () => {
    // Each of the two has as many as it takes, and nothing expires meanwhile.
    const terms = { leaseDurationSeconds: 600, renewDeadlineSeconds: 400, retryPeriodSeconds: 0.5 };
    const started = await BrakeFleet.start(server, 'hung', { policiesPerShard: 2, policy: rendered, terms });
    fleet = started;
    const { names, leader } = started;
    expect(stoppedHpas(started)).toBe(0);
    process.kill(leader.pid, 'SIGSTOP');
    started.use(0);
    await soon(
      'the stop in the HPAs of the other',
      () => stoppedHpas(started) === names.length / 2 || undefined,
    );
    expect(await started.count(suspensions)).toBe(0);
    process.kill(leader.pid, 'SIGCONT');
    await soon('the suspension', async () => (await started.count(suspensions)) === 1 || undefined);
    await soon('the stop in all HPAs', () => stoppedHpas(started) === names.length || undefined);
    expect(started.counts()).toEqual(names.map(() => 8));
  });

  it('stops the HPAs of a replica that counts too few by itself once it has taken over from the leader that hangs', async () => {
    const terms = { leaseDurationSeconds: 4, renewDeadlineSeconds: 2.8, retryPeriodSeconds: 0.5 };
    const started = await BrakeFleet.start(server, 'few', { policiesPerShard: 1, policy: rendered, terms });
    fleet = started;
    const { names, leader } = started;
    process.kill(leader.pid, 'SIGSTOP');
    started.use(0);
    await soon('the suspension', async () => (await started.count(suspensions)) === 1 || undefined);
    await soon('the stop in all HPAs', () => stoppedHpas(started) === names.length || undefined);
    process.kill(leader.pid, 'SIGCONT');
    expect(started.counts()).toEqual(names.map(() => 8));
    expect(await started.count(suspensions)).toBe(1);
  });
});
