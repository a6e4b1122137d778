const shardForm = /^shard\/(\d+)$/;

/** The number of a shard's scope; undefined: it is a scope of something else. */
export function shardOfScope(scope: string): number | undefined {
  const [, number] = shardForm.exec(scope) ?? [];
  return number === undefined ? undefined : Number(number);
}
