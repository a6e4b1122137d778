import { Field, ID, InterfaceType } from '@nestjs/graphql';
import type { EntryKind as Kind } from '#ledger';
import { enumOf } from './enum-of.ts';
import { PolicyName } from './policy-name.type.ts';

export const EntryKind = enumOf<Kind>(
  'EntryKind',
  'What an entry of the ledger is a record of. The type of an entry has the name of its kind.',
  {
    Decision: 'A count was decided, with everything that led there.',
    DecisionRun: 'Passes repeated the decision before them.',
    ScalingIntent: 'A count is about to be written.',
    ScalingEvent: 'A count changed, by Plimsoll or by others.',
    ScalingFailure: 'A write of a count changed nothing.',
    ActuationIntent: 'An HPA is about to be written.',
    ActuationOutcome: 'An HPA was written, or could not be.',
    HpaObservation: 'What the status of a policy’s HPA said.',
    StrategyChange: 'A policy is carried out otherwise.',
    PolicyChange: 'A policy came, changed or left.',
    SyncRun: 'A look at a repository found something new, or failed.',
    CommitReview: 'A forge said who allowed a commit.',
    OperatorAction: 'A person or a token asked for something.',
    SettingsChange: 'The controller’s configuration changed.',
    Checkpoint: 'The heads of all streams were signed.',
    KeyRotation: 'Another key signs checkpoints, as the old one says.',
    KeyLost: 'Another key signs checkpoints, as an operator says.',
    LedgerGap: 'A backup was restored that is older than a published checkpoint.',
    RetentionRun: 'Entries are deleted by age, or were.',
  },
);

/** What has an id of its own. */
@InterfaceType({
  description: 'What has an id of its own, by which `node` finds it.',
  resolveType: typeNameOf,
})
export class Node {
  @Field(() => ID, {
    description:
      'Give it to `node` to find this again: of an entry `STREAM#NUMBER`, as in `policy:shop/checkout#12`.',
  })
  declare id: string;
}

/** What every entry of the ledger carries. */
@InterfaceType({
  description:
    'An entry of the ledger. Entries are only ever appended, each with the hash of the one before it in its stream; `plimsoll audit verify` checks them without this server.',
  implements: () => [Node],
  resolveType: typeNameOf,
})
export class AuditEntry extends Node {
  @Field(() => EntryKind, { description: 'What is recorded here; the entry has the type of that name.' })
  declare kind: Kind;

  @Field(() => String, { description: 'When it happened, RFC 3339.' })
  declare time: string;

  @Field(() => String, { description: 'The name that the configuration gives the Kubernetes cluster.' })
  declare cluster: string;

  @Field(() => String, {
    description: 'SHA-256 of this entry, in hex: it covers what is recorded and previousHash.',
  })
  declare hash: string;

  @Field(() => String, { description: 'Of the entry before it in its stream; 64 zeros for the first.' })
  declare previousHash: string;

  @Field(() => PolicyName, {
    nullable: true,
    description: 'That it is about, or that an operator’s action names; null: it is about no single policy.',
  })
  declare policy: PolicyName | null;
}

/** Entries have the name of their kind; other forms name their type themselves. */
function typeNameOf(value: { readonly kind?: string; readonly __typename?: string }): string | undefined {
  return value.__typename ?? value.kind;
}
