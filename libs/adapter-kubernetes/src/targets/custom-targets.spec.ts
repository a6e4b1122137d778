import { describe, expect, it } from '@jest/globals';
import type { ScaleState } from '#reconciliation';
import type { KindAbsences } from '../api/kind-absences.ts';
import type { RestMapper } from '../api/rest-mapper.ts';
import { systemTiming } from '../time/timing.ts';
import { CustomTargets } from './custom-targets.ts';
import type { MetadataCaches } from './metadata-caches.ts';
import { ReachedScales } from './reached-scales.ts';
import { ReplicaChangeFeed } from './replica-change-feed.ts';
import type { ScaleReader } from './scale-reader.ts';

const target = { apiVersion: 'example.com/v1', kind: 'Rollout', namespace: 'shop', name: 'checkout' };
const scale: ScaleState = {
  uid: 'u',
  resourceVersion: '7',
  specReplicas: 4,
  statusReplicas: 4,
  selector: 'app=checkout',
};

describe('the scale of a custom resource that does not change', () => {
  it.each([
    { random: 0, minutes: 10 },
    { random: 0.5, minutes: 7.5 },
    { random: 1, minutes: 5 },
  ])('is read again after $minutes minutes where chance says $random', async ({ random, minutes }) => {
    let elapsed = 0;
    const targets = targetsAt({ ...systemTiming, elapsed: () => elapsed, random: () => random });
    await targets.read(target);
    elapsed = minutes * 60_000 - 1;
    expect(targets.cached(target)).toMatchObject({ specReplicas: 4 });
    elapsed += 1;
    expect(targets.cached(target)).toBeUndefined();
    await targets.read(target);
    expect(targets.cached(target)).toMatchObject({ specReplicas: 4 });
  });
});

/** Of a cluster whose watch works, and shows the version that is read. */
function targetsAt(timing: typeof systemTiming): CustomTargets {
  const seen = { uid: 'u', resourceVersion: '7', writer: { manager: 'kubectl', time: '' } };
  const cache = { trustOf: () => ({ isTrusted: true }), get: () => seen };
  const mapping = { apiVersion: target.apiVersion, kind: target.kind, isNamespaced: true };
  return new CustomTargets({
    metadata: { of: () => cache, subscribe: () => undefined } as unknown as MetadataCaches,
    absences: { noteTarget: () => undefined } as unknown as KindAbsences,
    mapper: { mappingOf: () => Promise.resolve(mapping) } as unknown as RestMapper,
    reader: { read: () => Promise.resolve(scale) } as unknown as ScaleReader,
    feed: new ReplicaChangeFeed(),
    reached: new ReachedScales(timing),
    timing,
  });
}
