import { Field, ID, InterfaceType } from '@nestjs/graphql';
import { type EntryKind as Kind, entryKinds } from '#ledger';
import { enumOf } from './enum-of.ts';
import { PolicyName } from './policy-name.type.ts';

export const EntryKind = enumOf(
  'EntryKind',
  entryKinds,
  'What an entry of the ledger is a record of. The type of an entry has the name of its kind.',
);

/** What has an id of its own. */
@InterfaceType({
  description: 'What has an id of its own, by which `node` finds it.',
  resolveType: typeNameOf,
})
export class Node {
  @Field(() => ID)
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
  @Field(() => EntryKind)
  declare kind: Kind;

  @Field(() => String, { description: 'When it happened, RFC 3339.' })
  declare time: string;

  @Field(() => String, { description: 'The cluster’s configured name.' })
  declare cluster: string;

  @Field(() => String, { description: 'SHA-256, in hex.' })
  declare hash: string;

  @Field(() => String, { description: 'Of the entry before it in its stream; 64 zeros for the first.' })
  declare previousHash: string;

  @Field(() => PolicyName, { nullable: true, description: 'null: it is about no single policy.' })
  declare policy: PolicyName | null;
}

/** Entries have the name of their kind; other forms name their type themselves. */
function typeNameOf(value: { readonly kind?: string; readonly __typename?: string }): string | undefined {
  return value.__typename ?? value.kind;
}
