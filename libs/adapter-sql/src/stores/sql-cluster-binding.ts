import type { SqlDatabase } from '../connection/sql-database.ts';
import { isRenewed } from '../statements/fence-statements.ts';
import { textOf } from '../statements/rows.ts';

/** The cluster that a database is of. */
export interface BoundCluster {
  /** Of its namespace `kube-system`, which it has for as long as it is. */
  readonly uid: string;
  /** What it is called in the configuration. */
  readonly name: string;
}

/** Of which cluster a database is, in the database. Methods throw an `AdapterError`. */
export class SqlClusterBinding {
  readonly #database: SqlDatabase;

  constructor(database: SqlDatabase) {
    this.#database = database;
  }

  /** Null: it is of none yet. */
  async read(): Promise<BoundCluster | null> {
    const [row] = await this.#database.query({
      sql: 'SELECT cluster_uid AS uid, cluster_name AS name FROM ledger_identity WHERE cluster_uid IS NOT NULL',
    });
    return row === undefined ? null : { uid: textOf(row, 'uid'), name: textOf(row, 'name') };
  }

  /** Makes it that of the cluster where it is of none. @returns the one that it is of */
  async bind(cluster: BoundCluster): Promise<BoundCluster> {
    const { uid, name } = cluster;
    await this.#database.transaction([
      {
        sql: 'UPDATE ledger_identity SET cluster_uid = ?, cluster_name = ? WHERE cluster_uid IS NULL',
        parameters: [uid, name],
      },
    ]);
    return (await this.read()) ?? cluster;
  }

  /**
   * Makes it that of another cluster.
   *
   * @returns false where it is not of the one that it is taken from, or where any process still renews what it holds
   */
  async move(from: string, to: BoundCluster): Promise<boolean> {
    const held = `SELECT 1 FROM ledger_epoch WHERE ${isRenewed(this.#database.dialect)}`;
    const moved = await this.#database.transaction([
      {
        sql: `UPDATE ledger_identity SET cluster_uid = ?, cluster_name = ? WHERE cluster_uid = ? AND NOT EXISTS (${held})`,
        parameters: [to.uid, to.name, from],
        expect: { count: 1, otherwise: 'ClusterInUse' },
      },
    ]);
    return moved.ok;
  }
}
