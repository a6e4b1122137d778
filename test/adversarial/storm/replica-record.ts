import { isJsonObject } from '#kernel';
import type { KubeObject, Simulator } from '#simulator';

/** A change of `spec.replicas`, as the API server carried it out. */
export interface ReplicaWrite {
  readonly workload: string;
  readonly manager: string;
  readonly from: number;
  readonly to: number;
  /** RFC 3339. */
  readonly time: string;
}

/** The field manager of the controller under test. */
export const controllerManager = 'plimsoll';

/** Records every change of a Deployment's replicas that the API server carries out, in its order. */
export function recordReplicaWrites(
  simulator: Simulator,
  listener: (write: ReplicaWrite) => void,
): () => void {
  return simulator.store.subscribe(({ type, resource, object, previous }) => {
    if (type !== 'MODIFIED' || resource !== 'apps/deployments' || previous === undefined) return;
    const from = replicasIn(previous);
    const to = replicasIn(object);
    if (from !== to) {
      listener({
        workload: object.metadata.name,
        manager: replicasManager(object),
        from,
        to,
        time: new Date().toISOString(),
      });
    }
  });
}

function replicasIn(object: KubeObject): number {
  const { spec } = object;
  return isJsonObject(spec) ? Number(spec['replicas']) : Number.NaN;
}

/** Who owns the count: the one that wrote it last. */
function replicasManager({ metadata }: KubeObject): string {
  const owner = (metadata.managedFields ?? []).find(({ fieldsV1 }) => {
    const spec = isJsonObject(fieldsV1) ? fieldsV1['f:spec'] : undefined;
    return isJsonObject(spec) && 'f:replicas' in spec;
  });
  return owner?.manager ?? 'unknown';
}
