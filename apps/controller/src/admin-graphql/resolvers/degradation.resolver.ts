import { Field, ObjectType, Query, Resolver } from '@nestjs/graphql';
import { Roles } from '../../auth/callers/roles.decorator.ts';
import { Degradations } from '../../health/degradations.ts';

@ObjectType({ description: 'Something that does not work, while the API still answers.' })
export class Degradation {
  @Field(() => String, {
    description:
      'ledger: nothing can be recorded. journal: what is decided meanwhile is not kept either. ' +
      'leases: those that elect replicas cannot be read or renewed. ' +
      'cluster: the API server has been away for minutes, or has not answered yet. ' +
      'access: a Role does not allow what is watched, or Events. ' +
      'checkpoints: what is recorded is not sealed by signed checkpoints. ' +
      'checkpointSinks: checkpoints are not sent outside the database. ' +
      'configuration: its file says something that is not in force, or another replica has other settings. ' +
      'reports: a scheduled report cannot be made or delivered. ' +
      'fleetBrake: a source of metrics answers as if its fleet had no load, and what it scales is not scaled in, or is to be stopped and cannot. ' +
      'forges: one does not do what it is asked for, so that commits have no status, or nobody knows who allowed them. ' +
      'sessions: those of the console are valid at one replica alone. ' +
      'clock: it has jumped, and schedules and freezes do not go by it alone. ' +
      'keptHpas: HPAs of policies that left cannot be deleted. ' +
      'retention: what has expired in the ledger cannot be deleted. ' +
      'certificate: the changed one of the API cannot be used, and the one before is still shown.',
  })
  declare what: string;

  @Field(() => String, { description: 'When it stopped to work, RFC 3339.' })
  declare since: string;

  @Field(() => String, {
    nullable: true,
    description:
      'Why, as the latest attempt to reach the cluster came to, how the clock jumped, or how many HPAs are kept; null: of this only the log says more.',
  })
  declare message: string | null;
}

/** What does not work now. */
@Resolver()
export class DegradationResolver {
  readonly #degradations: Degradations;

  constructor(degradations: Degradations) {
    this.#degradations = degradations;
  }

  @Roles('viewer')
  @Query(() => [Degradation], { description: 'What does not work now; /readyz names it, too.' })
  degraded(): readonly Degradation[] {
    return this.#degradations.list();
  }
}
