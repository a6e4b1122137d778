import { Field, Int, ObjectType } from '@nestjs/graphql';
import type {
  ActionEffect as Effect,
  ActionRequirements as Requirements,
  PolicyEffect as EffectOnPolicy,
  PolicyPicture as Picture,
} from '../../admin/requests/action-effect.ts';
import { enumOf } from './enum-of.ts';
import { Intervention, toIntervention } from './intervention.type.ts';
import { PolicyName } from './policy-name.type.ts';
import { RoleName } from './role.enum.ts';
import { ScaleTarget } from './scale-target.type.ts';

const StoppedDirection = enumOf<Picture['stopped']>(
  'StoppedDirection',
  'What a freeze or a suspension stops.',
  {
    None: 'It scales out and in.',
    Up: 'It does not scale out.',
    Down: 'It does not scale in.',
    Both: 'Its count stays as it is.',
  },
);
const EffectDirection = enumOf<EffectOnPolicy['direction']>(
  'EffectDirection',
  'Which way a count goes at once.',
  {
    Up: 'There will be more replicas.',
    Down: 'There will be fewer replicas.',
    None: 'The count stays, until metrics ask for another.',
    Unknown: 'The present count is not known, so nothing can be said.',
  },
);

/** How a policy is carried out at a moment. */
@ObjectType({
  description:
    "How a policy is carried out at a moment: its own limits, its windows' and its interventions'.",
})
export class PolicyPicture {
  @Field(() => Int, { description: 'The fewest replicas that it scales to then.' })
  declare minReplicas: number;

  @Field(() => Int, { description: 'The most replicas that it scales to then.' })
  declare maxReplicas: number;

  @Field(() => Int, { nullable: true, description: 'The count that an override names; null: none does.' })
  declare pin: number | null;

  @Field(() => StoppedDirection, {
    description: 'The direction in which a freeze or a suspension stops it then.',
  })
  declare stopped: Picture['stopped'];

  @Field(() => Boolean, { description: 'Whether it then decides and records, and writes nothing.' })
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
  @Field(() => PolicyName, { description: 'The policy that is affected.' })
  declare policy: PolicyName;

  @Field(() => ScaleTarget, { nullable: true, description: 'What it scales; null: it has left already.' })
  declare target: ScaleTarget | null;

  declare labels: Readonly<Record<string, string>>;

  @Field(() => Int, {
    nullable: true,
    description: '`spec.replicas` of what it scales, at this moment; null: not known.',
  })
  declare present: number | null;

  @Field(() => [String], { description: 'What of its document changes: `maxReplicas 20 → 5`.' })
  declare changes: readonly string[];

  @Field(() => PolicyPicture, {
    nullable: true,
    description: 'How it is carried out before the action; null: it is not in force.',
  })
  declare now: PolicyPicture | null;

  @Field(() => PolicyPicture, {
    nullable: true,
    description: 'How it is carried out after the action; null: it is not in force any more.',
  })
  declare then: PolicyPicture | null;

  @Field(() => EffectDirection, {
    description: 'Which way its count goes as soon as the action is carried out.',
  })
  declare direction: EffectOnPolicy['direction'];

  @Field(() => [String], { description: 'What the action cannot do here, in sentences.' })
  declare notes: readonly string[];

  @Field(() => [String], {
    description:
      'Of the notes those that tell a count which follows later: `40 → 10 when the suspension by ann ends, …`.',
  })
  declare later: readonly string[];
}

/** What an action wants of its caller. */
@ObjectType({ description: 'What an action wants of its caller.' })
export class ActionRequirements {
  @Field(() => RoleName, {
    description: 'The least role that may do it, in the namespaces that it is about.',
  })
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

  @Field(() => String, { description: 'What the action does, in a sentence.' })
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

  @Field(() => String, {
    description:
      'Names exactly this effect: `confirm` is compared with it, so that nothing else is carried out.',
  })
  declare digest: string;

  @Field(() => ActionRequirements, { description: 'What the caller needs for it.' })
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
  @Field(() => ActionEffect, {
    description: 'What the action would do if it were carried out at this moment.',
  })
  readonly effect: ActionEffect;

  constructor(effect: Effect) {
    this.effect = toActionEffect(effect);
  }
}

/** The GraphQL form of an effect. */
export function toActionEffect({ standing, ...effect }: Effect): ActionEffect {
  return { ...effect, standing: standing.map(toIntervention) };
}
