import { Field, InputType } from '@nestjs/graphql';
import type { EntryKind as Kind } from '#ledger';
import { EntryKind } from './audit-entry.type.ts';
import { DecisionAction } from './decision.type.ts';

/** Which policy's entries. */
@InputType({ description: 'Which policy it is: names are unique within a namespace.' })
export class PolicyNameInput {
  @Field(() => String, { description: 'The namespace that the policy, and what it scales, lives in.' })
  declare namespace: string;

  @Field(() => String, { description: 'What the policy is called, within its namespace.' })
  declare name: string;
}

const from = { nullable: true, description: 'RFC 3339 with its zone, inclusive.' } as const;
const until = { nullable: true, description: 'RFC 3339 with its zone, exclusive.' } as const;

/** Which decisions. */
@InputType({ description: 'Which decisions; what is left out does not narrow.' })
export class DecisionFilterInput {
  @Field(() => PolicyNameInput, { nullable: true, description: 'Of this one alone.' })
  declare policy?: PolicyNameInput | null;

  @Field(() => [String], { nullable: true, description: 'Of policies in these; at most 100.' })
  declare namespaces?: string[] | null;

  @Field(() => DecisionAction, { nullable: true, description: 'Only those that did this.' })
  declare action?: DecisionAction | null;

  @Field(() => String, {
    nullable: true,
    description: 'The full hash of the commit that the policy was in force by.',
  })
  declare commit?: string | null;

  @Field(() => String, from)
  declare from?: string | null;

  @Field(() => String, until)
  declare until?: string | null;
}

/** Which entries. */
@InputType({ description: 'Which entries; what is left out does not narrow.' })
export class AuditFilterInput {
  @Field(() => [EntryKind], {
    nullable: true,
    description: 'Only entries of these; left out: of every kind.',
  })
  declare kinds?: Kind[] | null;

  @Field(() => PolicyNameInput, {
    nullable: true,
    description:
      'Of this one alone, and what operators did to it, by its name or with all of its namespace; for callers who may view every namespace also what they did to its whole source (approvals, rejections, rollbacks, the end of one), to a source of its metrics and to the cluster. Syncs that are asked for are not among them. Which policies each changed is in its `effect`.',
  })
  declare policy?: PolicyNameInput | null;

  @Field(() => [String], {
    nullable: true,
    description: 'Of policies in these, and what operators did to them; at most 100.',
  })
  declare namespaces?: string[] | null;

  @Field(() => String, { nullable: true, description: 'The name of the person or token that acted.' })
  declare actor?: string | null;

  @Field(() => String, { nullable: true, description: 'The full hash of a commit.' })
  declare commit?: string | null;

  @Field(() => String, from)
  declare from?: string | null;

  @Field(() => String, until)
  declare until?: string | null;
}

/** Which events. */
@InputType({ description: 'Which events; what is left out does not narrow.' })
export class EventFilterInput {
  @Field(() => PolicyNameInput, { nullable: true, description: 'Of this one alone.' })
  declare policy?: PolicyNameInput | null;

  @Field(() => [String], {
    nullable: true,
    description: 'Of policies in these, and what operators did to them; at most 100.',
  })
  declare namespaces?: string[] | null;
}
