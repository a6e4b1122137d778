import { Field, Int, ObjectType } from '@nestjs/graphql';
import type { ControllerMode } from '#reconciliation';
import type { PolicyState as State } from '../../admin/policies/policy-standing.ts';
import { enumOf } from './enum-of.ts';
import { PolicyState } from './policy-state.type.ts';

/** Policies that something may be said of. */
@ObjectType({ description: 'How many policies something may be said of.' })
export class StateCount {
  @Field(() => PolicyState, { description: 'What may be said of them.' })
  declare state: State;

  @Field(() => Int, { description: 'How many it may be said of.' })
  declare policies: number;
}

const ControllerModeKind = enumOf<ControllerMode>(
  'ControllerMode',
  'Whether the controller carries out what it decides.',
  {
    Observe: 'It decides and records, and writes nothing to the cluster.',
    Act: 'It carries policies out.',
  },
);

/** The policies that a caller may view, counted. */
@ObjectType({ description: 'The policies in force that the caller may view, counted.' })
export class FleetSummary {
  @Field(() => Int, { description: 'How many are in force, as far as the caller may view them.' })
  declare policies: number;

  @Field(() => ControllerModeKind, { description: 'Of the process that answers, as configured.' })
  declare mode: ControllerMode;

  @Field(() => Int, {
    description:
      'How many hours from its beginning an intervention may end: `interventions.maximumHours` of the process that answers.',
  })
  declare maximumInterventionHours: number;

  @Field(() => Int, { description: 'Those whose first pass has not ended.' })
  declare unknown: number;

  @Field(() => [StateCount], { description: 'Every state, those of no policy included.' })
  declare states: StateCount[];

  @Field(() => Int, { description: 'HPAs of ours that no policy in force explains.' })
  declare orphanedHpas: number;

  @Field(() => Int, { description: 'What waits for an approval, or until its source is resumed.' })
  declare holds: number;

  @Field(() => Int, { description: 'Those that act on these policies now.' })
  declare interventions: number;
}
