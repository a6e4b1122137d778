import { type Fence, type FencePort, shardScope } from '../ports/fence.port.ts';

/** Takes a scope that is free. */
export async function takeFence(
  fences: FencePort,
  { scope = shardScope(0), holder = 'test' }: { readonly scope?: string; readonly holder?: string } = {},
): Promise<Fence> {
  const taken = await fences.take([scope], holder);
  const fence = taken.ok ? taken.value[0] : undefined;
  if (fence === undefined) throw new Error(`${scope} is held`);
  return fence;
}
