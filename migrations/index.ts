import type { MigrationInterface } from 'typeorm';
import { CreateLedger1795264749000 } from './1795264749000-create-ledger.ts';
import { CreatePolicyState1795264750000 } from './1795264750000-create-policy-state.ts';
import { CreateRevisions1795267200000 } from './1795267200000-create-revisions.ts';
import { CreateCommitApproval1795269600000 } from './1795269600000-create-commit-approval.ts';
import { AddRecordedStrategy1795272000000 } from './1795272000000-add-recorded-strategy.ts';
import { RecordDepartures1795275600000 } from './1795275600000-record-departures.ts';
import { IndexEndedVersions1795279200000 } from './1795279200000-index-ended-versions.ts';
import { AddFenceHolder1795282800000 } from './1795282800000-add-fence-holder.ts';
import { AddAccountedReplicas1795286400000 } from './1795286400000-add-accounted-replicas.ts';
import { AddEntryFormat1795290000000 } from './1795290000000-add-entry-format.ts';
import { AddCheckpoints1795293600000 } from './1795293600000-add-checkpoints.ts';
import { KeepEntries1795297200000 } from './1795297200000-keep-entries.ts';
import { AddPolicyConditions1795300800000 } from './1795300800000-add-policy-conditions.ts';
import { AddInterventions1795304400000 } from './1795304400000-add-interventions.ts';
import { PackPayloads1795308000000 } from './1795308000000-pack-payloads.ts';
import { AddRetention1795308100000 } from './1795308100000-add-retention.ts';
import { AddReplayedJournal1795315200000 } from './1795315200000-add-replayed-journal.ts';
import { AddRestoredBackup1795315300000 } from './1795315300000-add-restored-backup.ts';
import { AddMetricSeries1795320000000 } from './1795320000000-add-metric-series.ts';
import { AddEntryNames1795323600000 } from './1795323600000-add-entry-names.ts';
import { AddApiTokens1795327200000 } from './1795327200000-add-api-tokens.ts';
import { AddActionAnswers1795334400000 } from './1795334400000-add-action-answers.ts';
import { AddPolicyContest1795341600000 } from './1795341600000-add-policy-contest.ts';
import { ListRunsByStream1795352400000 } from './1795352400000-list-runs-by-stream.ts';
import { PartitionEntries1795407200000 } from './1795407200000-partition-entries.ts';
import { UpdateHeadsInPlace1795407300000 } from './1795407300000-update-heads-in-place.ts';
import { AddSegmentAnnouncement1795410800000 } from './1795410800000-add-segment-announcement.ts';
import { ListDecisionsByAction1795425201000 } from './1795425201000-list-decisions-by-action.ts';
import { IndexDefaults1795432400000 } from './1795432400000-index-defaults.ts';
import { AddNamespacesOfActions1795432401000 } from './1795432401000-add-namespaces-of-actions.ts';
import { AddNextHeads1795446800000 } from './1795446800000-add-next-heads.ts';
import { AddTakeOverTimes1795457600000 } from './1795457600000-add-take-over-times.ts';
import { ListRunsApart1795461200000 } from './1795461200000-list-runs-apart.ts';
import { AddShardCount1795475600000 } from './1795475600000-add-shard-count.ts';
import { AddFleetBrakeLosses1795479200000 } from './1795479200000-add-fleet-brake-losses.ts';
import { AddSourceLooks1795479300000 } from './1795479300000-add-source-looks.ts';
import { AddShardRequests1795479400000 } from './1795479400000-add-shard-requests.ts';
import { ListRunsByWeek1795486400000 } from './1795486400000-list-runs-by-week.ts';
import { BindCluster1795500100000 } from './1795500100000-bind-cluster.ts';
import { OwnActionAnswers1795510800000 } from './1795510800000-own-action-answers.ts';
import { AddDecisionSummaries1795514400000 } from './1795514400000-add-decision-summaries.ts';
import { AddPoliciesOfActions1795521600000 } from './1795521600000-add-policies-of-actions.ts';
import { AddFleetBrakeLooks1795525200000 } from './1795525200000-add-fleet-brake-looks.ts';
import { IndexRevisionTimes1795528800000 } from './1795528800000-index-revision-times.ts';
import { AddPolicyRefusal1795532400000 } from './1795532400000-add-policy-refusal.ts';
import { AddScopesOfActions1795536000000 } from './1795536000000-add-scopes-of-actions.ts';
import { AddAdvertisedUrls1795539600000 } from './1795539600000-add-advertised-urls.ts';
import { NameActionsOfEarlierReleases1795543200000 } from './1795543200000-name-actions-of-earlier-releases.ts';

/** All migrations, oldest first. Listed by hand, so that source and dist agree. */
export const migrations: readonly (new () => MigrationInterface)[] = [
  CreateLedger1795264749000,
  CreatePolicyState1795264750000,
  CreateRevisions1795267200000,
  CreateCommitApproval1795269600000,
  AddRecordedStrategy1795272000000,
  RecordDepartures1795275600000,
  IndexEndedVersions1795279200000,
  AddFenceHolder1795282800000,
  AddAccountedReplicas1795286400000,
  AddEntryFormat1795290000000,
  AddCheckpoints1795293600000,
  KeepEntries1795297200000,
  AddPolicyConditions1795300800000,
  AddInterventions1795304400000,
  PackPayloads1795308000000,
  AddRetention1795308100000,
  AddReplayedJournal1795315200000,
  AddRestoredBackup1795315300000,
  AddMetricSeries1795320000000,
  AddEntryNames1795323600000,
  AddApiTokens1795327200000,
  AddActionAnswers1795334400000,
  AddPolicyContest1795341600000,
  ListRunsByStream1795352400000,
  PartitionEntries1795407200000,
  UpdateHeadsInPlace1795407300000,
  AddSegmentAnnouncement1795410800000,
  ListDecisionsByAction1795425201000,
  IndexDefaults1795432400000,
  AddNamespacesOfActions1795432401000,
  AddNextHeads1795446800000,
  AddTakeOverTimes1795457600000,
  ListRunsApart1795461200000,
  AddShardCount1795475600000,
  AddFleetBrakeLosses1795479200000,
  AddSourceLooks1795479300000,
  AddShardRequests1795479400000,
  ListRunsByWeek1795486400000,
  BindCluster1795500100000,
  OwnActionAnswers1795510800000,
  AddDecisionSummaries1795514400000,
  AddPoliciesOfActions1795521600000,
  AddFleetBrakeLooks1795525200000,
  IndexRevisionTimes1795528800000,
  AddPolicyRefusal1795532400000,
  AddScopesOfActions1795536000000,
  AddAdvertisedUrls1795539600000,
  NameActionsOfEarlierReleases1795543200000,
];
