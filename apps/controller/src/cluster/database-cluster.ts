import type { BoundCluster, SqlClusterBinding } from '#adapter-sql';
import type { Configuration } from '#configuration';
import { AdapterError, messageOf } from '#kernel';
import type { FieldLogger } from '../logging/field-logger.ts';

export interface DatabaseClusterOptions {
  readonly cluster: Pick<Configuration['cluster'], 'name' | 'movedFrom'>;
  readonly binding: Pick<SqlClusterBinding, 'bind' | 'move'>;
  /** Of the cluster that is carried out on. @throws AdapterError */
  readonly clusterUid: () => Promise<string>;
  readonly logger: FieldLogger;
}

/**
 * Sees to it that the database is of this cluster: two that share one would take the shards of each other's policies. One
 * that is of no cluster yet is of this one from now on.
 *
 * @throws AdapterError `DatabaseOfAnotherCluster`; retryable `ClusterInUse` where the configuration says that it has moved,
 *   and a process of the other cluster still works
 */
export async function requireDatabaseOfCluster(options: DatabaseClusterOptions): Promise<void> {
  const uid = await uidOrUnknown(options);
  if (uid === null) return;
  const { cluster, binding, logger } = options;
  const own = { uid, name: cluster.name };
  const bound = await binding.bind(own);
  if (bound.uid === uid) return;
  if (bound.uid !== cluster.movedFrom) throw ofAnother(bound, own);
  if (!(await binding.move(bound.uid, own))) throw inUse(bound);
  logger.warn({ from: bound, to: own }, 'the database is of this cluster from now on');
}

/** Null: a Role does not allow to look, or there is nothing to be seen. What is not known stops nothing. */
async function uidOrUnknown({ clusterUid, logger }: DatabaseClusterOptions): Promise<string | null> {
  try {
    return await clusterUid();
  } catch (error) {
    if (!(error instanceof AdapterError) || error.retryable) throw error;
    logger.warn(
      { reason: messageOf(error), hint: 'plimsoll rbac prints what allows it' },
      'whether the database is of this cluster is not known',
    );
    return null;
  }
}

function ofAnother(bound: BoundCluster, own: BoundCluster): AdapterError {
  const message = `the database (database.url) is of the cluster ${shown(bound)}, and the controller is started on ${shown(own)} (cluster.kubeconfig, cluster.context): give each cluster a database of its own; where this cluster has taken the place of the other, cluster.movedFrom: ${bound.uid} says so (docs/replicas.md)`;
  return new AdapterError({ code: 'DatabaseOfAnotherCluster', message, retryable: false });
}

function inUse(bound: BoundCluster): AdapterError {
  const message = `cluster.movedFrom: a process of the cluster ${shown(bound)} still works with the database: stop it, and wait 15 s`;
  return new AdapterError({ code: 'ClusterInUse', message, retryable: true });
}

/** `"prod" (0b2f…)` */
function shown({ name, uid }: BoundCluster): string {
  return `"${name}" (${uid})`;
}
