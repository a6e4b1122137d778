import { Field, Int, ObjectType } from '@nestjs/graphql';
import type { PolicyVersion as PolicyVersionRecord, RevisionRecord } from '#git-sync';
import { isJsonObject, type Json, type JsonObject } from '#kernel';
import { Commit, PolicyOrigin } from './commit.type.ts';
import { connectionOf } from './connection.ts';
import { ChangeOperator, departureDescription, PolicyDeparture } from './events.type.ts';
import { JsonScalar } from './json.scalar.ts';

/** What the check of a commit's signature found. */
@ObjectType({ description: 'What the check of one commit’s signature found.' })
export class CommitSignature {
  @Field(() => String, { description: 'The full object name of what was checked.' })
  declare commit: string;

  @Field(() => String, { description: 'Verified, Unsigned, Untrusted or Invalid.' })
  declare status: string;

  @Field(() => String, { nullable: true, description: 'person; forge: signed by the forge’s own key.' })
  declare by: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The name in the key that signed; null: none is known.',
  })
  declare signer: string | null;

  @Field(() => String, { nullable: true, description: 'That of the key which signed; null: there is none.' })
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

  @Field(() => String, {
    nullable: true,
    description: 'The tenant that must advance first; null: it waits for none.',
  })
  declare waitsFor: string | null;

  @Field(() => Int, { description: 'Its policies in force afterwards.' })
  declare policies: number;
}

/** A commit's way through a source. */
@ObjectType({ description: 'What one commit of a source went through.' })
export class Revision {
  @Field(() => Commit, { description: 'What was looked at.' })
  declare commit: Commit;

  @Field(() => String, { description: 'What it came to: active, held or rejected.' })
  declare outcome: string;

  @Field(() => String, { description: 'The same in a sentence.' })
  declare message: string;

  @Field(() => String, { description: 'When it had arrived from the Git server, RFC 3339.' })
  declare fetchedAt: string;

  @Field(() => String, { description: 'When it was judged to the end, RFC 3339.' })
  declare finishedAt: string;

  @Field(() => [CommitSignature], {
    description: 'Of the commits that were checked; none where the source verifies nothing.',
  })
  declare signatures: readonly CommitSignature[];

  @Field(() => [RevisionTenant], {
    description: 'What it came to for each directory that advances by itself.',
  })
  declare tenants: readonly RevisionTenant[];

  @Field(() => JsonScalar, {
    description:
      'Author, committer, message, parents, signatures, timings, tenants, diagnostics, holds, counts, and what operators did to let it in (allowedBy).',
  })
  declare details: Json;
}

/** What is wrong with a document of a revision. */
@ObjectType({ description: 'What is wrong with a document of a revision, with the line that it is about.' })
export class RevisionDiagnostic {
  @Field(() => String, { description: 'error, warning or note: an error rejects its document.' })
  declare severity: string;

  @Field(() => String, { description: 'Names the kind of problem; stable, so that programs go by it.' })
  declare code: string;

  @Field(() => String, { description: 'What is wrong, with key, bound and value.' })
  declare message: string;

  @Field(() => String, { description: 'The path in the repository.' })
  declare file: string;

  @Field(() => Int, { description: 'Counted from 1.' })
  declare line: number;

  @Field(() => Int, { description: 'Counted from 1.' })
  declare column: number;

  @Field(() => String, { nullable: true, description: 'What would be right; null: there is no suggestion.' })
  declare hint: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The line, cut at 400 characters; null: the repository on disk does not have it.',
  })
  declare text: string | null;
}

/** A policy as it was in force at some time. */
@ObjectType({ description: 'A policy as it was in force at some time.' })
export class PolicyVersion {
  @Field(() => PolicyOrigin, { description: 'The commit and the file that it came from.' })
  declare origin: PolicyOrigin;

  @Field(() => String, { description: 'From when on it was in force, RFC 3339.' })
  declare validFrom: string;

  @Field(() => String, {
    nullable: true,
    description: 'Until when it was in force, RFC 3339; null: it still is.',
  })
  declare validTo: string | null;

  @Field(() => PolicyDeparture, { nullable: true, description: departureDescription })
  declare departure: PolicyVersionRecord['departure'];

  @Field(() => Commit, {
    nullable: true,
    description:
      'The commit that left it out; null: it did not leave, left otherwise (an operator released it or rolled back, its source was removed), or that commit is not known.',
  })
  declare removedBy: Commit | null;

  @Field(() => ChangeOperator, {
    nullable: true,
    description:
      'Who released it or rolled it back; null: nobody did, an earlier release did not keep it, or it is not known.',
  })
  declare removedByOperator: ChangeOperator | null;

  @Field(() => JsonScalar, { description: 'The whole document, with what PolicyDefaults filled in.' })
  declare document: Json;

  /** What its effective values are traced from. */
  declare record: PolicyVersionRecord;
}

export const PolicyVersionConnection = connectionOf(PolicyVersion, 'PolicyVersion');

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
  const { source, commit, file, line, document, value } = version;
  const { validFrom, validTo, departure, removedBy, removedByOperator } = version;
  const origin = { source, commit, file, line };
  const removal = { departure, removedBy, removedByOperator };
  return { origin, validFrom, validTo, ...removal, document: document ?? value, record: version };
}
