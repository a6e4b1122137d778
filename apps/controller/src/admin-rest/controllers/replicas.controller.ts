import { Controller, UseInterceptors } from '@nestjs/common';
import {
  type ActionPreview,
  apiPrefix,
  operations,
  type Replica,
  type Shard,
  type ShardCounts,
} from '#contracts';
import { OperatorAction } from '../../admin/access/operator-action.decorator.ts';
import { ShardActions } from '../../admin/actions/shard-actions.ts';
import { ReplicaDirectory } from '../../coordination/shards/replica-directory.ts';
import { AnswerInterceptor } from '../answers/answer.interceptor.ts';
import { type Asked, AskedOf } from '../answers/asked.decorator.ts';
import { type Listing, listing, pageOfAll } from '../answers/listing.ts';
import { OperationRoute } from '../answers/operation-route.decorator.ts';
import { answerOf } from '../answers/wire-forms.ts';

type Of<Id extends keyof typeof operations> = Asked<(typeof operations)[Id]>;

/** Digits that the numbers of shards have in the keys that they are ordered by. */
const keyDigits = 6;

/** Who holds what. */
@Controller(apiPrefix)
@UseInterceptors(AnswerInterceptor)
export class ReplicasController {
  readonly #directory: ReplicaDirectory;
  readonly #shards: ShardActions;

  constructor(directory: ReplicaDirectory, shards: ShardActions) {
    this.#directory = directory;
    this.#shards = shards;
  }

  @OperationRoute(operations.listReplicas)
  listReplicas(@AskedOf() { query }: Of<'listReplicas'>): Listing<Replica> {
    return listing(
      query,
      async (page) =>
        pageOfAll(await this.#directory.listReplicas(), page, { list: 'replicas', keyOf: ({ id }) => id }),
      ({ shards, ...replica }) => ({ ...replica, shards: [...shards] }),
    );
  }

  @OperationRoute(operations.listShards)
  listShards(@AskedOf() { query }: Of<'listShards'>): Listing<Shard> {
    const keyOf = ({ shard }: Shard): string => String(shard).padStart(keyDigits, '0');
    return listing(
      query,
      async (page) => pageOfAll(await this.#directory.listShards(), page, { list: 'shards', keyOf }),
      (shard) => shard,
    );
  }

  @OperationRoute(operations.changeShardCount)
  @OperatorAction('ChangeShardCount')
  async changeShardCount(
    @AskedOf() { principal, query, body }: Of<'changeShardCount'>,
  ): Promise<ShardCounts | ActionPreview> {
    const answer = await this.#shards.changeCount({ principal, ...query, ...body });
    return answerOf(answer, (counts) => counts);
  }
}
