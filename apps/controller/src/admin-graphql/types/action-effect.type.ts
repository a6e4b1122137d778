import { Field, Int, ObjectType } from '@nestjs/graphql';
import type {
  ActionEffect as Effect,
  ActionRequirements as Requirements,
  PolicyEffect as EffectOnPolicy,
  PolicyPicture as Picture,
} from '../../admin/action-effect.ts';
import { enumOf } from './enum-of.ts';
import { Intervention, toIntervention } from './intervention.type.ts';
import { PolicyName } from './policy-name.type.ts';
import { RoleName } from './role.enum.ts';

const StoppedDirection = enumOf(
  'StoppedDirection',
  ['None', 'Up', 'Down', 'Both'],
  'What a freeze or a suspension stops.',
);
const EffectDirection = enumOf(
  'EffectDirection',
  ['Up', 'Down', 'None', 'Unknown'],
  'Which way a count goes at once; Unknown: the present count is not known.',
);

/** How a policy is carried out at a moment. */
@ObjectType({
  description:
    "How a policy is carried out at a moment: its own limits, its windows' and its interventions'.",
})
export class PolicyPicture {
  @Field(() => Int)
  declare minReplicas: number;

  @Field(() => Int)
  declare maxReplicas: number;

  @Field(() => Int, { nullable: true, description: 'The count that an override names; null: none does.' })
  declare pin: number | null;

  @Field(() => StoppedDirection)
  declare stopped: Picture['stopped'];

  @Field(() => Boolean, { description: 'Nothing is written.' })
  declare isDryRun: boolean;

  @Field(() => Int, {
    nullable: true,
    description: 'The count that follows at once, before anything that metrics ask for; null: not known.',
  })
  declare replicas: number | null;
}

/** What an action does to one policy. */
@ObjectType({ description: 'What an action does to one policy.' })
export class PolicyEffect {
  @Field(() => PolicyName)
  declare policy: PolicyName;

  @Field(() => PolicyPicture, { nullable: true })
  declare now: PolicyPicture | null;

  @Field(() => PolicyPicture, { nullable: true })
  declare then: PolicyPicture | null;

  @Field(() => EffectDirection)
  declare direction: EffectOnPolicy['direction'];

  @Field(() => [String], { description: 'What the action cannot do here, in sentences.' })
  declare notes: readonly string[];
}

/** What an action wants of its caller. */
@ObjectType({ description: 'What an action wants of its caller.' })
export class ActionRequirements {
  @Field(() => RoleName)
  declare role: Requirements['role'];

  @Field(() => Boolean, { description: 'Whether `confirm` must be the digest of the effect.' })
  declare confirm: boolean;

  @Field(() => Boolean, { description: 'Whether `force` must be true.' })
  declare force: boolean;
}

/** What an action would do, or did. */
@ObjectType({ description: 'What an action would do now.' })
export class ActionEffect {
  @Field(() => String, { description: "The ledger's name of the action." })
  declare action: string;

  @Field(() => String, { description: 'In a sentence.' })
  declare summary: string;

  @Field(() => [PolicyEffect], { description: 'At most 100, by name.' })
  declare policies: readonly PolicyEffect[];

  @Field(() => [String], {
    description:
      'Policies that come, change or leave, at most 200: `shop/checkout changed: maxReplicas 20 → 5`.',
  })
  declare changes: readonly string[];

  @Field(() => Int, { description: 'Policies that it is about.' })
  declare total: number;

  @Field(() => String, { nullable: true, description: 'RFC 3339: when it ends by itself.' })
  declare until: string | null;

  @Field(() => String, { description: 'What `confirm` compares.' })
  declare digest: string;

  @Field(() => ActionRequirements)
  declare requires: ActionRequirements;

  @Field(() => [String], { description: 'What guardrails and the limits of the tenant say against it.' })
  declare problems: readonly string[];

  @Field(() => [Intervention], {
    description: 'What operators did before to the same policies, and what still stands; at most 100.',
  })
  declare standing: readonly Intervention[];
}

/** The answer to a dry run of a request. */
@ObjectType({
  description: 'The answer to a dry run of a request: nothing has changed, and nothing is recorded.',
})
export class ActionPreview {
  @Field(() => ActionEffect)
  readonly effect: ActionEffect;

  constructor(effect: Effect) {
    this.effect = toActionEffect(effect);
  }
}

/** The GraphQL form of an effect. */
export function toActionEffect({ standing, ...effect }: Effect): ActionEffect {
  return { ...effect, standing: standing.map(toIntervention) };
}
