import { Field, Int, ObjectType } from '@nestjs/graphql';
import type { Hold as HoldRecord, SyncOutcome } from '#git-sync';
import type { QueryErrorCode } from '../../admin/requests/query-error.ts';
import { notVisibleHoldCount, type VisibleSource } from '../../admin/sources/source-access.ts';
import type { Role } from '../../auth/callers/principal.ts';
import { actionResult, ErrorCode } from './action-result.ts';
import { Node } from './audit-entry.type.ts';
import { Commit } from './commit.type.ts';
import { enumOf } from './enum-of.ts';
import { RoleName } from './role.enum.ts';

/** Why something is held. */
@ObjectType({ description: 'Why something is held.' })
export class HoldCause {
  @Field(() => String, { description: 'NotDescendant, Unverified, PruneToEmpty, BlastRadius, …' })
  declare code: string;

  @Field(() => String, { description: 'The same in a sentence, with the figures in it.' })
  declare message: string;

  @Field(() => [String], { description: 'What it is about: policies, commits, bounds with from → to.' })
  declare items: readonly string[];
}

/** What would change if a hold were out of the way. */
@ObjectType({
  description: 'What would change of what is in force if a hold, and nothing else, were out of the way.',
})
export class HoldEffect {
  @Field(() => Int, { description: 'Policies that would come into force.' })
  declare added: number;

  @Field(() => Int, { description: 'Policies that would be in force otherwise than now.' })
  declare changed: number;

  @Field(() => Int, { description: 'Policies that would leave.' })
  declare removed: number;

  @Field(() => [String], {
    description: 'At most 200: `shop/a new`, `shop/b gone`, `shop/c changed: maxReplicas 20 → 5`.',
  })
  declare policies: readonly string[];
}

/** Who rejected a hold. */
@ObjectType({ description: 'Who rejected a hold.' })
export class Rejection {
  @Field(() => String, { description: 'The person or token that rejected it.' })
  declare by: string;

  @Field(() => String, { description: 'What that person wrote, for the readers of the ledger.' })
  declare reason: string;

  @Field(() => String, { description: 'When it was rejected, RFC 3339.' })
  declare time: string;
}

/** A result that waits for a person. */
@ObjectType({ description: 'A result that waits for a person. An approval is for exactly its digest.' })
export class Hold {
  @Field(() => String, { description: 'The source whose commit it is about.' })
  declare source: string;

  @Field(() => String, {
    description: 'Names exactly this result: give it to `approveHold` or `rejectHold`.',
  })
  declare digest: string;

  @Field(() => String, { nullable: true, description: 'The tenant that is held; null: the whole source.' })
  declare tenant: string | null;

  @Field(() => String, { description: 'The full object name of what would come into force.' })
  declare commit: string;

  @Field(() => String, { description: 'When it was first held, RFC 3339.' })
  declare since: string;

  @Field(() => Boolean, {
    description: 'An approver rejected it: another person may approve it, or another commit replace it.',
  })
  declare isRejected: boolean;

  @Field(() => Rejection, {
    nullable: true,
    description: 'Who rejected it; null: nobody did, or before an upgrade and it was not looked at since.',
  })
  declare rejection: Rejection | null;

  @Field(() => [HoldCause], { description: 'Everything that a person is asked about.' })
  declare causes: readonly HoldCause[];

  @Field(() => HoldEffect, {
    nullable: true,
    description: 'Null until the source is looked at after an upgrade.',
  })
  declare effect: HoldEffect | null;

  /** What its effects are worked out from. */
  declare record: HoldRecord;
}

/** The revision that a source was rolled back to. */
@ObjectType({
  description: 'The revision that a source was rolled back to; it stays there until it is resumed.',
})
export class Pin {
  @Field(() => String, { description: 'The full object name of what is in force since.' })
  declare commit: string;

  @Field(() => String, { description: 'The person or token that rolled back.' })
  declare by: string;

  @Field(() => String, { description: 'What that person wrote, for the readers of the ledger.' })
  declare reason: string;

  @Field(() => String, { description: 'When it was rolled back, RFC 3339.' })
  declare time: string;
}

/** A policy that was released by name. */
@ObjectType({
  description: 'A policy that an approver released by name: it is not in force until it is resumed.',
})
export class Release {
  @Field(() => String, { description: 'Which one, as NAMESPACE/NAME.' })
  declare policy: string;

  @Field(() => String, { description: 'The person or token that released it.' })
  declare by: string;

  @Field(() => String, { description: 'What that person wrote, for the readers of the ledger.' })
  declare reason: string;

  @Field(() => String, { description: 'When it left, RFC 3339.' })
  declare time: string;
}

export const SyncResultKind = enumOf<SyncOutcome['result']>(
  'SyncResultKind',
  'What a look at a source came to.',
  {
    active: 'The commit is in force.',
    partial: 'It is in force for some tenants, and for others not.',
    held: 'A person must approve it; what was in force stays.',
    rejected: 'Its documents have errors; what was in force stays.',
    failed: 'The repository could not be read; what was in force stays.',
    unchanged:
      'It was judged before, with the same result; where it is not in force the message says so (`still held: …`), and who rejected it.',
  },
);

/** The caller's right to approve a hold. */
@ObjectType({ description: 'Whether the caller may approve a hold, and why not.' })
export class ApprovalRight {
  @Field(() => Boolean, { description: 'Whether `approveHold` of this caller would be taken.' })
  declare allowed: boolean;

  @Field(() => ErrorCode, {
    nullable: true,
    description: 'What `approveHold` would be refused with; null: it is allowed.',
  })
  declare code: QueryErrorCode | null;

  @Field(() => String, { nullable: true, description: 'Why not, in a sentence; null: it is allowed.' })
  declare message: string | null;
}

/** What a look at a source, or what was asked of it, came to. */
@ObjectType({ description: 'What a look at a source, or what was asked of it, came to.' })
export class SyncResult {
  @Field(() => String, { description: 'The repository that it is about, as the configuration names it.' })
  declare source: string;

  @Field(() => SyncResultKind, { description: 'What it came to.' })
  declare result: SyncOutcome['result'];

  @Field(() => String, { description: 'The same in a sentence.' })
  declare message: string;

  @Field(() => Commit, { nullable: true, description: 'What was looked at; null: nothing could be read.' })
  declare commit: Commit | null;

  @Field(() => [Hold], { description: 'What waits for an approval afterwards, or was rejected.' })
  declare holds: readonly Hold[];
}

export const SyncAction = actionResult(
  SyncResult,
  'What came of an action on a source, or why it was refused.',
);

/** A hold that was rejected. */
@ObjectType({ description: 'A hold that was rejected: what is in force stays.' })
export class HoldRejection {
  @Field(() => String, { description: 'The repository that it is about, as the configuration names it.' })
  declare source: string;

  @Field(() => String, { description: 'What was rejected; another commit may be proposed.' })
  declare digest: string;
}

export const HoldRejectionAction = actionResult(HoldRejection, 'A rejection, or why it was refused.');

/** A repository that policies come from. */
@ObjectType({ description: 'A repository that policies come from.', implements: () => [Node] })
export class Source extends Node {
  declare __typename: string;

  @Field(() => String, { description: 'What the configuration calls it.' })
  declare name: string;

  @Field(() => String, { description: 'Where the repository is, without credentials.' })
  declare url: string;

  @Field(() => String, { description: 'The branch or tag that is followed.' })
  declare ref: string;

  @Field(() => Commit, { nullable: true, description: 'The newest commit of which anything is in force.' })
  declare commit: Commit | null;

  @Field(() => [Hold], { description: 'What waits for an approval, or was rejected.' })
  declare holds: readonly Hold[];

  @Field(() => Int, {
    description:
      'How many more wait that change policies which the caller may view, or may, and that the caller may not see whole: `notVisibleHolds` of a policy has what they do to it.',
  })
  declare notVisibleHoldCount: number;

  @Field(() => Pin, {
    nullable: true,
    description: 'The revision that it was rolled back to; null: it follows its ref.',
  })
  declare pin: Pin | null;

  @Field(() => [Release], {
    description: 'Policies that were taken out of force by name, and stay out until they are resumed.',
  })
  declare released: readonly Release[];

  @Field(() => String, {
    nullable: true,
    description: 'When it was looked at last, RFC 3339; null: not yet.',
  })
  declare lastSyncTime: string | null;

  @Field(() => SyncResult, {
    nullable: true,
    description: 'What the last look, or a rollback since, came to; null: there was no look yet.',
  })
  declare lastSync: SyncResult | null;

  @Field(() => String, {
    nullable: true,
    description: 'Since when every look has failed; null: the last look worked.',
  })
  declare staleSince: string | null;

  @Field(() => [RoleName], {
    description:
      'The roles that the caller has in every namespace that it is about, as syncing, rolling back, resuming and suspending it want them. Without viewer its revisions, what looks said, and what waits for others are left out.',
  })
  declare viewerRoles: readonly Role[];
}

/** The GraphQL form of a source. */
export function toSource(view: VisibleSource): Source {
  const { name, url, ref, commit, holds, pin, released, lastSync, staleSince, viewerRoles } = view;
  return {
    __typename: 'Source',
    id: `source:${name}`,
    name,
    url,
    ref,
    commit,
    holds: holds.map((hold) => toHold(name, hold)),
    notVisibleHoldCount: notVisibleHoldCount(view),
    pin,
    released,
    lastSyncTime: lastSync?.time ?? null,
    lastSync: lastSync === null ? null : toSyncResult(lastSync.outcome),
    staleSince,
    viewerRoles,
  };
}

/** The GraphQL form of a look's outcome. */
export function toSyncResult({ source, result, message, commit, holds }: SyncOutcome): SyncResult {
  return { source, result, message, commit, holds: holds.map((hold) => toHold(source, hold)) };
}

/** The GraphQL form of a hold. */
export function toHold(source: string, record: HoldRecord): Hold {
  const { digest, scope, commit, since, isRejected, rejection = null, causes, effect = null } = record;
  const tenant = scope.kind === 'Tenant' ? scope.tenant : null;
  return { source, digest, tenant, commit, since, isRejected, rejection, causes, effect, record };
}
