import { Args, Context, Query, Resolver } from '@nestjs/graphql';
import { OperatorAction } from '../../admin/access/operator-action.decorator.ts';
import { ShardActions } from '../../admin/actions/shard-actions.ts';
import { Roles } from '../../auth/callers/roles.decorator.ts';
import { ReplicaDirectory } from '../../coordination/shards/replica-directory.ts';
import type { RequestContext } from '../server/graphql-options.ts';
import type { ActionPreview } from '../types/action-effect.type.ts';
import { answerOf } from '../types/action-result.ts';
import {
  Replica,
  Shard,
  ShardCountAction,
  ShardCountArguments,
  type ShardCounts,
} from '../types/replica.type.ts';
import { ActionMutation } from './action-mutation.decorator.ts';

/** Who holds what. */
@Resolver()
export class ReplicasResolver {
  readonly #directory: ReplicaDirectory;
  readonly #shards: ShardActions;

  constructor(directory: ReplicaDirectory, shards: ShardActions) {
    this.#directory = directory;
    this.#shards = shards;
  }

  @Roles('viewer')
  @Query(() => [Replica], { description: 'The processes that carry policies out, by id.' })
  replicas(): Promise<readonly Replica[]> {
    return this.#directory.listReplicas();
  }

  @Roles('viewer')
  @Query(() => [Shard], {
    description: 'The shards of the policies, and who holds each since when, by number.',
  })
  shards(): Promise<readonly Shard[]> {
    return this.#directory.listShards();
  }

  @ActionMutation(
    'admin',
    () => ShardCountAction,
    'Spreads the policies over another number of shards; for some seconds no policy is decided.',
  )
  @OperatorAction('ChangeShardCount')
  async changeShardCount(
    @Args() args: ShardCountArguments,
    @Context() { principal }: RequestContext,
  ): Promise<ShardCounts | ActionPreview> {
    return answerOf(await this.#shards.changeCount({ principal, ...args }), (counts) => counts);
  }
}
