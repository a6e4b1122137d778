import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '#kernel';
import { eventually } from '../../control-plane/poll.ts';
import { anAutoscalingPolicy, type Fleet, type HpaObject, timeoutMilliseconds } from './native-hpa-fleet.ts';

const rendered = { actuation: 'HorizontalPodAutoscaler' } as const;
/** From ten past noon on. */
const window = { cron: '10 12 20 11 *', timeZone: 'UTC', duration: '10m' } as const;
const schedule = { name: 'rush', ...window, minReplicas: 4 } as const;
const freeze = { name: 'release', ...window, direction: 'Down' } as const;
const until = '2026-11-20T12:20:00.000Z';
const minute = 60_000;

/** What begins and ends for a while, and who has the HPA, on the cluster of the fleet. */
export function describeHandovers(fleetNow: () => Fleet): void {
  const boundsOf = ({ spec }: HpaObject): JsonObject => ({
    minReplicas: spec['minReplicas'] ?? 1,
    maxReplicas: spec['maxReplicas'] ?? null,
  });
  const untilOf = ({ metadata }: HpaObject): unknown =>
    (metadata['annotations'] as JsonObject | undefined)?.['plimsoll.dev/until'];

  describe('what is in force for a while', () => {
    it('is rendered as a schedule and a freeze begin, and out of the HPA as they end', async () => {
      const fleet = fleetNow();
      await fleet.createTarget();
      fleet.put(anAutoscalingPolicy({ ...rendered, schedules: [schedule], freeze: [freeze] }));
      await fleet.start();
      await fleet.pass();
      const before = await fleet.readHpa();
      expect(untilOf(before)).toBeUndefined();
      await fleet.untilListed();
      fleet.clock.advance(10 * minute);
      expect(await fleet.sweep()).toBe('Done/HpaUpdated');
      const during = await fleet.readHpa();
      expect(boundsOf(during)).toEqual({ minReplicas: 4, maxReplicas: 5 });
      expect(during.spec).toMatchObject({ behavior: { scaleDown: { selectPolicy: 'Disabled' } } });
      expect(untilOf(during)).toBe(until);
      await fleet.untilListed();
      fleet.clock.advance(10 * minute);
      expect(await fleet.sweep()).toBe('Done/HpaUpdated');
      const after = await fleet.readHpa();
      expect(after.spec).toEqual(before.spec);
      expect(untilOf(after)).toBeUndefined();
    });

    it('is taken out first by a start after it has ended', async () => {
      const fleet = fleetNow();
      await fleet.createTarget();
      fleet.put(anAutoscalingPolicy({ ...rendered, schedules: [schedule] }));
      fleet.clock.advance(12 * minute);
      await fleet.start();
      await fleet.pass();
      expect(untilOf(await fleet.readHpa())).toBe(until);
      await fleet.untilListed();
      fleet.clock.advance(30 * minute);
      await fleet.start();
      expect(await fleet.sweep()).toBe('Done/HpaUpdated');
      const hpa = await fleet.readHpa();
      expect(boundsOf(hpa)).toEqual({ minReplicas: 1, maxReplicas: 5 });
      expect(untilOf(hpa)).toBeUndefined();
    });

    it('is pinned and stopped by interventions, and released as each ends', async () => {
      const fleet = fleetNow();
      await fleet.createTarget();
      fleet.put(anAutoscalingPolicy(rendered));
      await fleet.start();
      await fleet.pass();
      const before = await fleet.readHpa();
      await fleet.untilListed();
      const { namespace = '', name } = before.metadata as {
        readonly namespace?: string;
        readonly name: string;
      };
      const scope = { kind: 'Policy', namespace, name } as const;
      const since = fleet.clock.now();
      const expires = new Date(Date.parse(since) + 5 * minute).toISOString();
      const given = { reason: 'incident 7', actor: 'ada', since, expires } as const;
      const pin = { kind: 'Override', replicas: 3, ...given } as const;
      const stop = { kind: 'Suspend', direction: 'Down', ...given } as const;
      await fleet.interventions().begin({ id: 'pin', scope, intervention: pin });
      await fleet.interventions().begin({ id: 'stop', scope, intervention: stop });
      expect(await fleet.sweep()).toBe('Done/HpaUpdated');
      const during = await fleet.readHpa();
      expect(boundsOf(during)).toEqual({ minReplicas: 3, maxReplicas: 3 });
      expect(during.spec).toMatchObject({ behavior: { scaleDown: { selectPolicy: 'Disabled' } } });
      expect(untilOf(during)).toBe(expires);
      await fleet.untilListed();
      expect(await fleet.interventions().end('pin', { actor: 'ada', reason: 'over' })).toBeNull();
      expect(await fleet.sweep()).toBe('Done/HpaUpdated');
      expect(boundsOf(await fleet.readHpa())).toEqual(boundsOf(before));
      await fleet.untilListed();
      fleet.clock.advance(5 * minute);
      expect(await fleet.sweep()).toBe('Done/HpaUpdated');
      const after = await fleet.readHpa();
      expect(after.spec).toEqual(before.spec);
      expect(untilOf(after)).toBeUndefined();
    });
  });

  describe('who has the HPA', () => {
    it('changes with the actuation, one hand after the other, both ways', async () => {
      const fleet = fleetNow();
      await fleet.createTarget(1);
      fleet.put(anAutoscalingPolicy(rendered));
      await fleet.start();
      await fleet.pass();
      await fleet.untilListed();
      fleet.put(anAutoscalingPolicy({ actuation: 'Scale', minReplicas: 3 }));
      expect(await fleet.pass()).toBe('Done/HpaDeleted');
      expect(await fleet.replicas()).toBe(1);
      await fleet.untilGone();
      expect(await fleet.pass()).toBe('Done/Scaled');
      expect(await fleet.replicas()).toBe(3);
      fleet.put(anAutoscalingPolicy({ ...rendered, minReplicas: 3 }));
      expect(await fleet.pass()).toBe('Done/HpaCreated');
      await fleet.untilListed();
      expect(await fleet.pass()).toBe('Done/Unchanged');
      expect(fleet.actuations()).toEqual(['Create → Applied', 'Delete → Applied', 'Create → Applied']);
      expect(fleet.ledger.payloadsOf('ScalingIntent')).toHaveLength(1);
    });

    it.each([
      { name: 'goes with a policy that is pruned', departure: 'Pruned', stays: false },
      { name: 'stays where a policy leaves that is not to be pruned', departure: 'Kept', stays: true },
      { name: 'stays where a policy is released', departure: 'Released', stays: true },
    ] as const)('$name, and the count stays', async ({ departure, stays }) => {
      const fleet = fleetNow();
      await fleet.createTarget(2);
      fleet.put(anAutoscalingPolicy({ ...rendered, replicas: 1 }));
      await fleet.start();
      await fleet.pass();
      await fleet.untilListed();
      await fleet.leave(departure);
      for (let pass = 0; pass < 3; pass += 1) await fleet.pass();
      if (stays) expect(boundsOf(await fleet.readHpa())).toEqual({ minReplicas: 1, maxReplicas: 5 });
      else await fleet.untilGone();
      expect(fleet.orphans()).toHaveLength(stays ? 1 : 0);
      expect(await fleet.replicas()).toBe(2);
      expect(fleet.ledger.payloadsOf('ScalingIntent')).toEqual([]);
    });

    it('is nobody where the policy is disabled, and the count stays where it names none', async () => {
      const fleet = fleetNow();
      await fleet.createTarget(2);
      fleet.put(anAutoscalingPolicy(rendered));
      await fleet.start();
      await fleet.pass();
      await fleet.untilListed();
      fleet.put(anAutoscalingPolicy({ ...rendered, enabled: false }));
      expect(await fleet.pass()).toBe('Done/HpaDeleted');
      await fleet.untilGone();
      for (let pass = 0; pass < 2; pass += 1) await fleet.pass();
      expect(await fleet.replicas()).toBe(2);
      expect(fleet.ledger.payloadsOf('ScalingIntent')).toEqual([]);
    });

    it('is the policy again where somebody deletes it', async () => {
      const fleet = fleetNow();
      await fleet.createTarget();
      fleet.put(anAutoscalingPolicy(rendered));
      await fleet.start();
      await fleet.pass();
      await fleet.untilListed();
      await fleet.deleteHpa();
      await fleet.untilGone();
      expect(await fleet.pass()).toBe('Done/HpaCreated');
      expect(fleet.ledger.payloadsOf('ActuationIntent').at(-1)).toMatchObject({
        verb: 'Create',
        drift: { kind: 'Deleted' },
      });
    });

    it('is Plimsoll where the policy adopts always, whatever the HPA says', async () => {
      const fleet = fleetNow();
      await fleet.createTarget();
      await fleet.createHpa('helm', { maxReplicas: 9 });
      fleet.put(anAutoscalingPolicy(rendered, { 'plimsoll.dev/adopt': 'Always' }));
      await fleet.start();
      await fleet.untilListed();
      const { uid } = (await fleet.readHpa()).metadata;
      expect(await fleet.pass()).toBe('Done/HpaAdopted');
      const hpa = await fleet.readHpa();
      expect(hpa.metadata).toMatchObject({
        uid,
        ownerReferences: [{ kind: 'Deployment', name: 'checkout' }],
      });
      expect(boundsOf(hpa)).toEqual({ minReplicas: 1, maxReplicas: 5 });
      expect(fleet.ledger.payloadsOf('StrategyChange').at(-1)).toMatchObject({
        field: 'adoption',
        before: 'helm',
      });
      await fleet.untilListed();
      expect(await fleet.pass()).toBe('Done/Unchanged');
    });

    it('is no policy after the ledger is lost: it stays, orphaned, until a policy of its name takes it up', async () => {
      const fleet = fleetNow();
      await fleet.createTarget();
      const policy = anAutoscalingPolicy(rendered);
      fleet.put(policy);
      await fleet.start();
      await fleet.pass();
      await fleet.untilListed();
      const before = await fleet.readHpa();
      await fleet.start({ ledger: 'Lost' });
      await fleet.pass();
      expect(fleet.orphans()).toMatchObject([{ name: 'checkout' }]);
      expect(await fleet.readHpa()).toEqual(before);
      fleet.put(policy);
      expect(await fleet.pass()).toBe('Done/Unchanged');
      expect(fleet.orphans()).toEqual([]);
      expect((await fleet.readHpa()).metadata['resourceVersion']).toBe(before.metadata['resourceVersion']);
    });

    it('is contested where somebody edits it again and again: corrections wait, and go on', async () => {
      const fleet = fleetNow();
      await fleet.createTarget();
      fleet.put(anAutoscalingPolicy(rendered));
      await fleet.start();
      await fleet.pass();
      const outcomes: (string | undefined)[] = [];
      for (let second = 0; second < 3; second += 1) {
        await fleet.editHpa('argocd-controller', { maxReplicas: 50 + second });
        await fleet.untilListed();
        outcomes.push(await fleet.pass());
      }
      expect(outcomes).toEqual(['Done/HpaUpdated', 'Done/HpaUpdated', 'Stalled/Contested']);
      expect(fleet.said()).toContain('the last by argocd-controller');
      fleet.clock.advance(minute);
      await fleet.editHpa('argocd-controller', { maxReplicas: 60 });
      await fleet.untilListed();
      expect(await fleet.pass()).toBe('Done/HpaUpdated');
      expect(boundsOf(await fleet.readHpa())).toEqual({ minReplicas: 1, maxReplicas: 5 });
    });

    it('is nobody while its namespace is gone, and the policy again in a new one of that name', async () => {
      const fleet = fleetNow();
      await fleet.createTarget();
      fleet.put(anAutoscalingPolicy(rendered));
      await fleet.start();
      await fleet.pass();
      const { uid } = (await fleet.readHpa()).metadata;
      await fleet.deleteNamespace();
      await fleet.untilGone();
      await eventually({
        description: 'a pass that finds no target',
        timeoutMilliseconds,
        probe: async () => ((await fleet.pass()) === 'Failed/FailedGetScale' ? true : undefined),
      });
      await fleet.createNamespace();
      await fleet.createTarget();
      await eventually({
        description: 'the HPA in the new namespace',
        timeoutMilliseconds,
        probe: async () => ((await fleet.pass()) === 'Done/HpaCreated' ? true : undefined),
      });
      expect((await fleet.readHpa()).metadata['uid']).not.toBe(uid);
    });
  });
}
