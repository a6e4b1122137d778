import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { buildSchema } from 'graphql';
import { type Operation, operations } from '#contracts';

const schema = buildSchema(readFileSync(join(import.meta.dirname, '..', '..', 'schema.graphql'), 'utf8'));

/** By root field of GraphQL, the operation of REST that asks or does the same. */
const operationOf: Readonly<Record<string, keyof typeof operations>> = {
  auditEntries: 'listAuditEntries',
  decision: 'getDecision',
  decisions: 'listDecisions',
  decisionsAround: 'getDecisionsAround',
  degraded: 'listDegradations',
  flappingPolicies: 'getFlappingPolicies',
  fleet: 'getFleet',
  interventions: 'listInterventions',
  leavingPolicies: 'listLeavingPolicies',
  ledgerSeal: 'getLedgerSeal',
  orphanedHpas: 'listOrphanedHpas',
  policies: 'listPolicies',
  policy: 'getPolicy',
  policyAt: 'listPolicyVersions',
  replicas: 'listReplicas',
  report: 'getReport',
  reports: 'listReports',
  reportSchedules: 'listReportSchedules',
  scalingEvents: 'listScalingEvents',
  shards: 'listShards',
  sources: 'listSources',
  tokens: 'listTokens',
  whatIf: 'getWhatIf',
  approveHold: 'approveHold',
  changeShardCount: 'changeShardCount',
  createToken: 'createToken',
  endDryRun: 'endIntervention',
  endOverride: 'endIntervention',
  endSuspension: 'endIntervention',
  overrideReplicas: 'beginIntervention',
  rejectHold: 'rejectHold',
  releaseAll: 'releaseAll',
  releasePolicy: 'releasePolicy',
  requestReport: 'createReport',
  resumePolicy: 'resumePolicy',
  resumeSource: 'resumeSource',
  revokeToken: 'revokeToken',
  rollBackSource: 'rollBackSource',
  startDryRun: 'beginIntervention',
  suspendScaling: 'beginIntervention',
  syncNow: 'syncSource',
};

const byKind = 'is `/audit-entries?kind=…`: REST has one timeline of the ledger, with every kind in it';

/** Root fields without an operation, and why. */
const graphqlOnly: Readonly<Record<string, string>> = {
  node: 'is the path of each kind: REST has `/policies/…`, `/interventions/ID`, `/audit-entries/ID`',
  actuationOutcomes: byKind,
  hpaObservations: byKind,
  policyChanges: byKind,
  strategyChanges: byKind,
  syncRuns: byKind,
};

/** Operations without a root field, and why. */
const restOnly: Readonly<Record<string, string>> = {
  getAuditEntry: 'is `node(id)`',
  getBlame: 'is `Decision.blame`',
  getCaller: 'says what a token is; a query answers as its caller',
  getChart: 'is `Policy.chart`',
  getEffectiveValues: 'is `Policy.effectiveValues`',
  getIntervention: 'is `node(id)`',
  getPolicyBlame: 'is `Policy.latestDecision.blame`',
  getSource: 'is one of `sources`, and `node(id)`',
  getToken: 'is one of `tokens`',
  listDecisionSummaries: 'is `decisions`, where no more is selected',
  listHolds: 'is `Source.holds`',
  listPolicyDecisions: 'is `Policy.decisions`',
  listPolicyScalingEvents: 'is `Policy.scalingEvents`',
  getRevision: 'is `Source.revision`',
  listRevisions: 'is `Source.revisions`',
  readReport: 'is a text, and no object',
};

const roots = [schema.getQueryType(), schema.getMutationType()].flatMap((type) =>
  Object.keys(type?.getFields() ?? {}),
);
const ids = Object.values<Operation>(operations).map(({ id }) => id);

describe('GraphQL and REST', () => {
  it.each(roots)('%s has an operation of REST, or a reason for none', (field) => {
    const operation = operationOf[field];
    expect(operation === undefined ? graphqlOnly[field] : ids.includes(operation)).toBeTruthy();
    expect([operation, graphqlOnly[field]].filter((one) => one !== undefined)).toHaveLength(1);
  });

  it.each(ids)('%s has a root field of GraphQL, or a place within one', (id) => {
    const isRoot = Object.values<string>(operationOf).includes(id);
    expect([isRoot, restOnly[id] !== undefined]).toContain(true);
    expect([isRoot, restOnly[id] !== undefined]).toContain(false);
  });

  it('names nothing that has gone', () => {
    const known = [...Object.keys(operationOf), ...Object.keys(graphqlOnly)];
    expect(known.filter((field) => !roots.includes(field))).toEqual([]);
    expect(Object.keys(restOnly).filter((id) => !ids.includes(id))).toEqual([]);
  });
});
