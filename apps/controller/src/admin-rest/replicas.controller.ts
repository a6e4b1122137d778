import { Controller, UseInterceptors } from '@nestjs/common';
import { apiPrefix, operations, type Replica, type Shard } from '#contracts';
import { ReplicaDirectory } from '../replicas/replica-directory.ts';
import { AnswerInterceptor } from './answer.interceptor.ts';
import { type Asked, AskedOf } from './asked.decorator.ts';
import { type Listing, listing, pageOfAll } from './listing.ts';
import { OperationRoute } from './operation-route.decorator.ts';

type Of<Id extends keyof typeof operations> = Asked<(typeof operations)[Id]>;

/** Digits that the numbers of shards have in the keys that they are ordered by. */
const keyDigits = 6;

/** Who holds what. */
@Controller(apiPrefix)
@UseInterceptors(AnswerInterceptor)
export class ReplicasController {
  readonly #directory: ReplicaDirectory;

  constructor(directory: ReplicaDirectory) {
    this.#directory = directory;
  }

  @OperationRoute(operations.listReplicas)
  listReplicas(@AskedOf() { query }: Of<'listReplicas'>): Listing<Replica> {
    return listing(
      query,
      async (page) => pageOfAll(await this.#directory.listReplicas(), page, ({ id }) => id),
      ({ shards, ...replica }) => ({ ...replica, shards: [...shards] }),
    );
  }

  @OperationRoute(operations.listShards)
  listShards(@AskedOf() { query }: Of<'listShards'>): Listing<Shard> {
    const keyOf = ({ shard }: Shard): string => String(shard).padStart(keyDigits, '0');
    return listing(
      query,
      async (page) => pageOfAll(await this.#directory.listShards(), page, keyOf),
      (shard) => shard,
    );
  }
}
