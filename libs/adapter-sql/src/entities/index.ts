import type { EntitySchema } from 'typeorm';
import type { SqlDialect } from '../connection/sql-database.ts';
import { actionAnswerEntity } from './action-answer.entity.ts';
import { apiTokenEntity } from './api-token.entity.ts';
import { ledgerIdentityEntity, nextHeadEntity, sealedHeadEntity } from './checkpoint.entity.ts';
import { commitApprovalEntity } from './commit-approval.entity.ts';
import { entryNameEntity } from './entry-name.entity.ts';
import { fleetBrakeLossEntity } from './fleet-brake-loss.entity.ts';
import { interventionEntity } from './intervention.entity.ts';
import { ledgerEntryEntity } from './ledger-entry.entity.ts';
import { ledgerEpochEntity } from './ledger-epoch.entity.ts';
import { metricSeriesEntity } from './metric-series.entity.ts';
import { pendingIntentEntity } from './pending-intent.entity.ts';
import { policyConditionsEntity } from './policy-conditions.entity.ts';
import { policyStateEntity } from './policy-state.entity.ts';
import { replayedJournalEntity } from './replayed-journal.entity.ts';
import { restoredBackupEntity } from './restored-backup.entity.ts';
import { expiredSegmentEntity, retentionPermitEntity, retentionRuleEntity } from './retention.entity.ts';
import { policyVersionEntity, revisionEntity, syncSourceEntity } from './revision.entity.ts';
import { shardRequestEntity } from './shard-request.entity.ts';
import { sourceLookEntity } from './source-look.entity.ts';
import { streamHeadEntity } from './stream-head.entity.ts';

/** The tables as TypeORM maps them; a test compares the migrations with them. */
export function entitySchemas(dialect: SqlDialect): EntitySchema[] {
  return [
    streamHeadEntity(dialect),
    ledgerEntryEntity(dialect),
    entryNameEntity(dialect),
    ledgerEpochEntity(dialect),
    pendingIntentEntity(dialect),
    policyStateEntity(dialect),
    policyConditionsEntity(dialect),
    interventionEntity(dialect),
    syncSourceEntity(dialect),
    revisionEntity(dialect),
    policyVersionEntity(dialect),
    commitApprovalEntity(dialect),
    ledgerIdentityEntity(),
    sealedHeadEntity(dialect),
    nextHeadEntity(dialect),
    replayedJournalEntity(dialect),
    restoredBackupEntity(),
    apiTokenEntity(dialect),
    actionAnswerEntity(dialect),
    retentionPermitEntity(dialect),
    retentionRuleEntity(dialect),
    expiredSegmentEntity(dialect),
    metricSeriesEntity(dialect),
    fleetBrakeLossEntity(dialect),
    sourceLookEntity(dialect),
    shardRequestEntity(dialect),
  ];
}
