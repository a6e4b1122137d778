import { Query, Resolver } from '@nestjs/graphql';
import { Roles } from '../auth/roles.decorator.ts';
import { ReplicaDirectory } from '../replicas/replica-directory.ts';
import { Replica, Shard } from './types/replica.type.ts';

/** Who holds what. */
@Resolver()
export class ReplicasResolver {
  readonly #directory: ReplicaDirectory;

  constructor(directory: ReplicaDirectory) {
    this.#directory = directory;
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
}
