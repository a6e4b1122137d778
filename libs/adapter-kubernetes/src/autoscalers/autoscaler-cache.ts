import type { NativeAutoscaler, NativeAutoscalerListing, NativeAutoscalersPort } from '#reconciliation';
import { WatchedCache, type WatchOptions } from '../informer/watched-cache.ts';
import { specManagerOf } from '../objects/field-managers.ts';
import { type KubeObject, object, text } from '../objects/kube-object.ts';
import type { ScaleClient } from '../targets/scale-client.ts';

/** The annotation on the HPAs that Plimsoll renders. */
const policyAnnotation = 'plimsoll.dev/policy';

type SlimAutoscaler = Omit<NativeAutoscaler, 'selector'>;

/** The HPAs of the watched namespaces. */
export class AutoscalerCache implements NativeAutoscalersPort {
  readonly watched: WatchedCache<SlimAutoscaler>;
  readonly #scales: ScaleClient;

  constructor(context: WatchOptions, scales: ScaleClient) {
    this.#scales = scales;
    this.watched = new WatchedCache<SlimAutoscaler>(context, {
      groupPath: '/apis/autoscaling/v2',
      resource: 'horizontalpodautoscalers',
      representation: 'Object',
      transform: slimAutoscaler,
    });
  }

  listAutoscalers(namespace: string): NativeAutoscalerListing {
    const trust = this.watched.trustOf(namespace);
    if (!trust.isTrusted) return { state: 'Unsynced', message: trust.message };
    const autoscalers = [...this.watched.values(namespace)].map((autoscaler) => {
      const scale = this.#scales.cachedScale({ ...autoscaler.target, namespace });
      return { ...autoscaler, selector: scale?.selector ?? null };
    });
    return { state: 'Synced', autoscalers };
  }
}

function slimAutoscaler({ name, uid, metadata, body }: KubeObject): SlimAutoscaler {
  const reference = object(object(body['spec'])['scaleTargetRef']);
  const policy = object(metadata['annotations'])[policyAnnotation];
  return {
    name,
    uid,
    target: {
      apiVersion: text(reference['apiVersion']),
      kind: text(reference['kind']),
      name: text(reference['name']),
    },
    manager: specManagerOf(metadata) ?? null,
    policy: typeof policy === 'string' ? policy : null,
  };
}
