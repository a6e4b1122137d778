import { Field, Int, ObjectType } from '@nestjs/graphql';
import { isJsonObject, type Json, type JsonObject } from '#kernel';
import type {
  Hold as HoldRecord,
  PolicyVersion as PolicyVersionRecord,
  RevisionRecord,
  SyncOutcome,
} from '#reconciliation';
import type { SourceView } from '../../admin/source-operations.ts';
import { Commit, PolicyOrigin } from './commit.type.ts';
import { departureDescription } from './events.type.ts';
import { JsonScalar } from './json.scalar.ts';

/** Why something is held. */
@ObjectType({ description: 'Why something is held.' })
export class HoldCause {
  @Field(() => String, { description: 'NotDescendant, Unverified, PruneToEmpty, BlastRadius, …' })
  declare code: string;

  @Field(() => String)
  declare message: string;

  @Field(() => [String], { description: 'What it is about: policies, commits, bounds with from → to.' })
  declare items: readonly string[];
}

/** A result that waits for a person. */
@ObjectType({ description: 'A result that waits for a person. An approval is for exactly its digest.' })
export class Hold {
  @Field(() => String)
  declare digest: string;

  @Field(() => String, { nullable: true, description: 'The tenant that is held; null: the whole source.' })
  declare tenant: string | null;

  @Field(() => String)
  declare commit: string;

  @Field(() => String)
  declare since: string;

  @Field(() => Boolean, { description: 'Somebody said no; another commit may replace it.' })
  declare isRejected: boolean;

  @Field(() => [HoldCause])
  declare causes: readonly HoldCause[];
}

/** The revision that a source was rolled back to. */
@ObjectType({
  description: 'The revision that a source was rolled back to; it stays there until it is resumed.',
})
export class Pin {
  @Field(() => String)
  declare commit: string;

  @Field(() => String)
  declare by: string;

  @Field(() => String)
  declare reason: string;

  @Field(() => String)
  declare time: string;
}

/** A policy that was released by name. */
@ObjectType({
  description: 'A policy that an approver released by name: it is not in force until it is resumed.',
})
export class Release {
  @Field(() => String, { description: 'namespace/name.' })
  declare policy: string;

  @Field(() => String)
  declare by: string;

  @Field(() => String)
  declare reason: string;

  @Field(() => String)
  declare time: string;
}

/** What a look at a source came to. */
@ObjectType({ description: 'What a look at a source came to.' })
export class SyncResult {
  @Field(() => String)
  declare source: string;

  @Field(() => String, { description: 'active, partial, held, rejected, failed or unchanged.' })
  declare result: string;

  @Field(() => String)
  declare message: string;

  @Field(() => Commit, { nullable: true })
  declare commit: Commit | null;

  @Field(() => [Hold])
  declare holds: readonly Hold[];
}

/** A repository that policies come from. */
@ObjectType({ description: 'A repository that policies come from.' })
export class Source {
  @Field(() => String)
  declare name: string;

  @Field(() => String, { description: 'Without credentials.' })
  declare url: string;

  @Field(() => String)
  declare ref: string;

  @Field(() => Commit, { nullable: true, description: 'The newest commit of which anything is in force.' })
  declare commit: Commit | null;

  @Field(() => [Hold])
  declare holds: readonly Hold[];

  @Field(() => Pin, { nullable: true })
  declare pin: Pin | null;

  @Field(() => [Release])
  declare released: readonly Release[];

  @Field(() => String, { nullable: true, description: 'When it was looked at last.' })
  declare lastSyncTime: string | null;

  @Field(() => SyncResult, { nullable: true })
  declare lastSync: SyncResult | null;

  @Field(() => String, {
    nullable: true,
    description: 'Since when nobody could look; null: the last look worked.',
  })
  declare staleSince: string | null;
}

/** What the check of a commit's signature found. */
@ObjectType({ description: 'What the check of one commit’s signature found.' })
export class CommitSignature {
  @Field(() => String)
  declare commit: string;

  @Field(() => String, { description: 'Verified, Unsigned, Untrusted or Invalid.' })
  declare status: string;

  @Field(() => String, { nullable: true, description: 'person; forge: signed by the forge’s own key.' })
  declare by: string | null;

  @Field(() => String, { nullable: true })
  declare signer: string | null;

  @Field(() => String, { nullable: true })
  declare fingerprint: string | null;

  @Field(() => String, { nullable: true, description: 'Why it does not hold.' })
  declare reason: string | null;

  @Field(() => Boolean, { description: 'An approver accepted the commit as it is.' })
  declare accepted: boolean;
}

/** One tenant's transaction of a revision. */
@ObjectType({ description: 'What a revision came to for one tenant.' })
export class RevisionTenant {
  @Field(() => String, { description: 'Empty: the root, or a source without tenants.' })
  declare tenant: string;

  @Field(() => String, { description: 'Advances, Rejected, Waiting or HeldBack.' })
  declare status: string;

  @Field(() => String, { nullable: true })
  declare waitsFor: string | null;

  @Field(() => Int, { description: 'Its policies in force afterwards.' })
  declare policies: number;
}

/** A commit's way through a source. */
@ObjectType({ description: 'What one commit of a source went through.' })
export class Revision {
  @Field(() => Commit)
  declare commit: Commit;

  @Field(() => String, { description: 'active, held or rejected.' })
  declare outcome: string;

  @Field(() => String)
  declare message: string;

  @Field(() => String)
  declare fetchedAt: string;

  @Field(() => String)
  declare finishedAt: string;

  @Field(() => [CommitSignature], {
    description: 'Of the commits that were checked; none where the source verifies nothing.',
  })
  declare signatures: readonly CommitSignature[];

  @Field(() => [RevisionTenant])
  declare tenants: readonly RevisionTenant[];

  @Field(() => JsonScalar, {
    description:
      'Author, committer, message, parents, signatures, timings, tenants, diagnostics, holds, counts.',
  })
  declare details: Json;
}

/** A policy as it was in force at some time. */
@ObjectType({ description: 'A policy as it was in force at some time.' })
export class PolicyVersion {
  @Field(() => PolicyOrigin)
  declare origin: PolicyOrigin;

  @Field(() => String)
  declare validFrom: string;

  @Field(() => String, { nullable: true, description: 'null: still in force.' })
  declare validTo: string | null;

  @Field(() => String, { nullable: true, description: departureDescription })
  declare departure: string | null;

  @Field(() => JsonScalar, { description: 'The document, PolicyDefaults applied.' })
  declare document: Json;
}

/** The GraphQL form of a source. */
export function toSource(view: SourceView): Source {
  const { name, url, ref, commit, holds, pin, released, lastSync, staleSince } = view;
  return {
    name,
    url,
    ref,
    commit,
    holds: holds.map(toHold),
    pin,
    released,
    lastSyncTime: lastSync?.time ?? null,
    lastSync: lastSync === null ? null : toSyncResult(lastSync.outcome),
    staleSince,
  };
}

/** The GraphQL form of a look's outcome. */
export function toSyncResult({ source, result, message, commit, holds }: SyncOutcome): SyncResult {
  return { source, result, message, commit, holds: holds.map(toHold) };
}

/** The GraphQL form of a revision. */
export function toRevision(record: RevisionRecord): Revision {
  const { commit, outcome, message, fetchedAt, finishedAt, details } = record;
  const signatures = objectsIn(details['signatures']).map(toSignature);
  const tenants = objectsIn(details['tenants']).map(toTenant);
  return { commit, outcome, message, fetchedAt, finishedAt, signatures, tenants, details };
}

function toSignature(found: JsonObject): CommitSignature {
  return {
    commit: textOf(found['commit']) ?? '',
    status: textOf(found['status']) ?? '',
    by: textOf(found['by']),
    signer: textOf(found['signer']),
    fingerprint: textOf(found['fingerprint']),
    reason: textOf(found['reason']),
    accepted: found['accepted'] === true,
  };
}

function toTenant(found: JsonObject): RevisionTenant {
  return {
    tenant: textOf(found['tenant']) ?? '',
    status: textOf(found['status']) ?? '',
    waitsFor: textOf(found['waitsFor']),
    policies: Number(found['policies'] ?? 0),
  };
}

/** A revision of an older release may lack what this one keeps. */
function objectsIn(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function textOf(value: Json | undefined): string | null {
  return typeof value === 'string' ? value : null;
}

/** The GraphQL form of a version. */
export function toPolicyVersion(version: PolicyVersionRecord): PolicyVersion {
  const { source, commit, file, line, validFrom, validTo, departure, document, value } = version;
  const origin = { source, commit, file, line };
  return { origin, validFrom, validTo, departure, document: document ?? value };
}

function toHold({ digest, scope, commit, since, isRejected, causes }: HoldRecord): Hold {
  const tenant = scope.kind === 'Tenant' ? scope.tenant : null;
  return { digest, tenant, commit, since, isRejected, causes };
}
