/** What is stored of how the policies are spread over shards. */
export interface ShardLayout {
  /** Over how many; null: it was never changed. */
  readonly shardCount: number | null;
  /** Whether another number is about to be stored: no shard is to be held until it is. */
  readonly isChanging: boolean;
}

/** Reads how the policies are spread over shards. An append changes it. Throws an `AdapterError`. */
export interface ShardLayoutPort {
  read(): Promise<ShardLayout>;
}
