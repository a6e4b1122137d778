export type { DatabaseErrorCode } from './connection/database-error.ts';
export { type DatabaseSettings, parseDatabaseUrl } from './connection/database-url.ts';
export {
  type SqlDatabase,
  type SqlDialect,
  type SqlOutcome,
  type SqlQuery,
  type SqlRefusal,
  type SqlRow,
  type SqlStatement,
  type SqlValue,
} from './connection/sql-database.ts';
export { removeUnfinished, replaceKeyFile, requireKeyText, writeNewKeyFile } from './files/key-files.ts';
export { backUpDatabase } from './maintenance/back-up-database.ts';
export { type BackupHeader } from './maintenance/backup-format.ts';
export {
  migrateDatabase,
  type Migrating,
  type MigrationStatus,
  readMigrations,
} from './maintenance/migrate-database.ts';
export { restoreDatabase } from './maintenance/restore-database.ts';
export {
  type LedgerDatabase,
  type LedgerDatabaseOptions,
  openLedgerDatabase,
} from './open-ledger-database.ts';
export type { ChangeListener, ChangeWatch } from './postgres/postgres-notices.ts';
export { LedgerReader } from './reading/ledger-reader.ts';
export { lockForProcess } from './sqlite/process-lock.ts';
export type { ChangedPart } from './statements/change-notices.ts';
export { databaseTime } from './statements/database-time.ts';
export { SqlActionAnswers } from './stores/sql-action-answers.ts';
export { SqlChanges } from './stores/sql-changes.ts';
export { SqlCheckpoints } from './stores/sql-checkpoints.ts';
export { type BoundCluster, SqlClusterBinding } from './stores/sql-cluster-binding.ts';
export { maximumPlaces, SqlEntryTail, type StoredPlace } from './stores/sql-entry-tail.ts';
export { type ScopeConnections, SqlFences } from './stores/sql-fences.ts';
export { SqlLedger } from './stores/sql-ledger.ts';
export { SqlLookStore } from './stores/sql-look-store.ts';
export { SqlLossStore } from './stores/sql-loss-store.ts';
export { SqlPartitions } from './stores/sql-partitions.ts';
export { SqlPullRequestStore } from './stores/sql-pull-request-store.ts';
export { SqlRetention } from './stores/sql-retention.ts';
export { SqlRevisionStore } from './stores/sql-revision-store.ts';
export { type ScopeHolder, SqlScopeHolders } from './stores/sql-scope-holders.ts';
export { SqlSeriesStore } from './stores/sql-series-store.ts';
export { SqlShardLayout } from './stores/sql-shard-layout.ts';
export { type ShardRequest, SqlShardRequests } from './stores/sql-shard-requests.ts';
export { maximumStoredReports, SqlStoredReports, type StoredReport } from './stores/sql-stored-reports.ts';
export { SqlTokens } from './stores/sql-tokens.ts';
