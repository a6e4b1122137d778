import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type {
  NativeAutoscalersPort,
  OwnersPort,
  PodListing,
  PodsPort,
  ReplicaChange,
  ReplicaChangesPort,
  ScalePort,
  ScaleState,
  ScaleTarget,
} from '#reconciliation';
import { eventually } from '../control-plane/poll.ts';

/** A cluster, and the ports that look at it. */
export interface World {
  readonly pods: PodsPort;
  readonly owners: OwnersPort;
  readonly scales: ScalePort;
  readonly replicaChanges: ReplicaChangesPort;
  readonly autoscalers: NativeAutoscalersPort;
  /** Makes a Deployment of the name whose selector is `app=NAME`, in the namespace `shop`. */
  readonly createWorkload: (name: string, replicas: number) => Promise<ScaleTarget>;
  /** Makes a pod labelled `app=APP`, owned by the Deployment of that name. */
  readonly createPod: (name: string, app: string) => Promise<void>;
  /** Makes an HPA on a Deployment. */
  readonly createAutoscaler: (name: string, target: ScaleTarget) => Promise<void>;
  /** Sets a count as another field manager would. */
  readonly scaleAs: (manager: string, target: ScaleTarget, replicas: number) => Promise<void>;
  readonly stop: () => Promise<void>;
}

const never = new AbortController().signal;
const timeoutMilliseconds = 20_000;

/** What every implementation of reconciliation's cluster ports must do. */
export function describeKubernetesPorts(name: string, makeWorld: () => Promise<World>): void {
  describe(`the cluster's ports of ${name}`, () => {
    let world: World;

    beforeAll(async () => {
      world = await makeWorld();
    }, 120_000);

    afterAll(() => world.stop());

    describe('scales', () => {
      it('are read alike from the cache and live', async () => {
        const target = await world.createWorkload('reads', 2);
        const cached = await untilScale(target, 2);
        expect(cached).toMatchObject({ specReplicas: 2, selector: 'app=reads' });
        const live = await world.scales.readScale({ target, freshness: 'Live' }, never);
        expect(live).toMatchObject({ state: { uid: cached.uid, specReplicas: 2, selector: 'app=reads' } });
      });

      it.each(['Cached', 'Live'] as const)('say NotFound where there is none, read %s', async (freshness) => {
        const target = targetOf('nobody');
        const reading = await world.scales.readScale({ target, freshness }, never);
        expect(reading).toMatchObject({ cause: 'NotFound', error: { reason: 'FailedGetScale' } });
      });

      it('are written, and read back at once', async () => {
        const target = await world.createWorkload('writes', 2);
        const observed = await untilScale(target, 2);
        const outcome = await world.scales.writeScale({ target, observed, replicas: 5 }, never);
        expect(outcome).toMatchObject({
          outcome: 'Written',
          state: { uid: observed.uid, specReplicas: 5, writer: { manager: 'plimsoll' } },
        });
        const after = await world.scales.readScale({ target, freshness: 'Cached' }, never);
        expect(after).toMatchObject({ state: { specReplicas: 5 } });
      });

      it('are not written over a count that another manager set', async () => {
        const target = await world.createWorkload('contested', 2);
        const observed = await untilScale(target, 2);
        await world.scaleAs('kubectl', target, 3);
        const outcome = await world.scales.writeScale({ target, observed, replicas: 9 }, never);
        expect(outcome).toMatchObject({ outcome: 'Changed', state: { specReplicas: 3 } });
        const after = await world.scales.readScale({ target, freshness: 'Live' }, never);
        expect(after).toMatchObject({ state: { specReplicas: 3, writer: { manager: 'kubectl' } } });
      });

      it.each([2, 0])(
        'have another version once theirs is a former one, and are the same (count %d)',
        async (count) => {
          const target = await world.createWorkload(`versions-${count}`, 3);
          await untilScale(target, 3);
          await world.scaleAs('kubectl', target, count);
          const versions = new Set<string>();
          for (let time = 1; time <= 4; time += 1) {
            const reading = await world.scales.readScale({ target, freshness: 'Live' }, never);
            if (!('state' in reading)) throw new Error(reading.error.message);
            const observed = reading.state;
            expect(observed).toMatchObject({ specReplicas: count });
            versions.add(observed.resourceVersion);
            const outcome = await world.scales.retireVersion(
              { target, observed, unwanted: () => null },
              never,
            );
            expect(outcome).toMatchObject({
              kind: 'Retired',
              state: { uid: observed.uid, specReplicas: count },
            });
            const again = await world.scales.retireVersion({ target, observed, unwanted: () => null }, never);
            expect(again).toEqual({ kind: 'Changed' });
          }
          expect(versions.size).toBe(4);
        },
      );

      it('keep their version where that is not wanted any more', async () => {
        const target = await world.createWorkload('unwanted', 2);
        const observed = await untilScale(target, 2);
        const failure = { code: 'ShardNotHeld', message: 'not held', retryable: true };
        const retirement = { target, observed, unwanted: () => failure };
        expect(await world.scales.retireVersion(retirement, never)).toEqual({
          kind: 'Unknown',
          message: 'not held',
        });
        const reading = await world.scales.readScale({ target, freshness: 'Live' }, never);
        expect(reading).toMatchObject({ state: { resourceVersion: observed.resourceVersion } });
      });

      it('fail to be written where there is no target', async () => {
        const observed: ScaleState = {
          uid: '9d2b2a3e-0d5c-4a56-8d0c-111111111111',
          resourceVersion: '1',
          specReplicas: 1,
          statusReplicas: 1,
          selector: 'app=nobody',
        };
        const write = { target: targetOf('nobody'), observed, replicas: 2 };
        expect(await world.scales.writeScale(write, never)).toMatchObject({
          outcome: 'Failed',
          failure: { code: 'NotFound', retryable: false },
        });
      });
    });

    describe('pods', () => {
      it('are listed by selector, with their labels and owners, which lead to the workload', async () => {
        const target = await world.createWorkload('listed', 1);
        await world.createPod('listed-a', 'listed');
        const pods = await untilPods('app=listed', 1);
        expect(pods[0]).toMatchObject({
          name: 'listed-a',
          labels: { app: 'listed' },
          ownerReferences: [{ apiVersion: target.apiVersion, kind: target.kind, name: target.name }],
        });
        const owners = await world.owners.resolveOwners(
          { policy: 'shop/checkout', namespace: 'shop', pods },
          never,
        );
        expect(owners).toMatchObject([{ kind: 'Deployment', name: 'listed' }]);
      });

      it.each(['', 'a b', '=x'])('are none for the selector %j, which selects nothing', (selector) => {
        expect(world.pods.listPods({ namespace: 'shop', selector })).toEqual({ state: 'Synced', pods: [] });
      });
    });

    describe('changes of replicas', () => {
      it('are reported to each subscriber until its subscription ends', async () => {
        const target = await world.createWorkload('watched', 2);
        await untilScale(target, 2);
        const first: ReplicaChange[] = [];
        const second: ReplicaChange[] = [];
        const endFirst = world.replicaChanges.subscribe((change) => first.push(change));
        const endSecond = world.replicaChanges.subscribe((change) => second.push(change));
        await world.scaleAs('kubectl', target, 3);
        await until('the first change', () => of(first, 'watched').length === 1);
        endFirst();
        await world.scaleAs('argocd', target, 4);
        await until('the second change', () => of(second, 'watched').length === 2);
        endSecond();
        expect(of(first, 'watched')).toMatchObject([{ from: 2, to: 3, manager: 'kubectl' }]);
        expect(of(second, 'watched')).toMatchObject([
          { from: 2, to: 3, manager: 'kubectl', target },
          { from: 3, to: 4, manager: 'argocd', target },
        ]);
      });
    });

    describe('native autoscalers', () => {
      it('are listed with their target and the selector of its scale', async () => {
        const target = await world.createWorkload('native', 1);
        await untilScale(target, 1);
        await world.createAutoscaler('native-hpa', target);
        await until('the HPA in the cache', () => {
          const listing = world.autoscalers.listAutoscalers('shop');
          return listing.state === 'Synced' && listing.autoscalers.some((one) => one.name === 'native-hpa');
        });
        expect(world.autoscalers.listAutoscalers('shop')).toMatchObject({
          state: 'Synced',
          autoscalers: [
            {
              name: 'native-hpa',
              uid: expect.stringMatching(/./),
              target: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'native' },
              selector: 'app=native',
              policy: null,
            },
          ],
        });
      });
    });

    it('replace HPAs in another version, which are the same otherwise', async () => {
      const target = await world.createWorkload('versioned', 1);
      await world.createAutoscaler('versioned-hpa', target);
      const name = { namespace: 'shop', name: 'versioned-hpa' };
      const before = await world.autoscalers.readAutoscaler(name, never);
      if (before.kind !== 'Found') throw new Error('there is no HPA');
      const retirement = { live: before, unwanted: () => null };
      expect(await world.autoscalers.retireVersion(retirement, never)).toEqual({ kind: 'Retired' });
      expect(await world.autoscalers.retireVersion(retirement, never)).toEqual({ kind: 'Changed' });
      const after = await world.autoscalers.readAutoscaler(name, never);
      if (after.kind !== 'Found') throw new Error('there is no HPA');
      const { resourceVersion, ...rest } = after.autoscaler;
      expect(resourceVersion).not.toBe(before.autoscaler.resourceVersion);
      expect(rest).toEqual({ ...before.autoscaler, resourceVersion: undefined });
      expect(after.document['spec']).toEqual(before.document['spec']);
    });

    function untilPods(
      selector: string,
      count: number,
    ): Promise<Extract<PodListing, { state: 'Synced' }>['pods']> {
      return eventually({
        description: `${count} pods of ${selector}`,
        timeoutMilliseconds,
        intervalMilliseconds: 10,
        probe: () => {
          const listing = world.pods.listPods({ namespace: 'shop', selector });
          return Promise.resolve(
            listing.state === 'Synced' && listing.pods.length === count ? listing.pods : undefined,
          );
        },
      });
    }

    function untilScale(target: ScaleTarget, replicas: number): Promise<ScaleState> {
      return eventually({
        description: `${target.name} to have ${replicas} replicas`,
        timeoutMilliseconds,
        intervalMilliseconds: 10,
        probe: async () => {
          const reading = await world.scales.readScale({ target, freshness: 'Cached' }, never);
          return 'state' in reading && reading.state.specReplicas === replicas ? reading.state : undefined;
        },
      });
    }
  });
}

/** The Deployment of a name in the namespace of these suites. */
export function targetOf(name: string): ScaleTarget {
  return { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name };
}

async function until(description: string, holds: () => boolean): Promise<void> {
  await eventually({
    description,
    timeoutMilliseconds,
    intervalMilliseconds: 10,
    probe: () => Promise.resolve(holds() ? true : undefined),
  });
}

function of(changes: readonly ReplicaChange[], name: string): readonly ReplicaChange[] {
  return changes.filter(({ target }) => target.name === name);
}
