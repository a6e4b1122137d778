import type { Fence, FencePort } from '#ledger';

/** Takes a scope that is free. Benches run on the built code, which has no fakes and builders. */
export async function takeFence(fences: FencePort, scope: string): Promise<Fence> {
  const taken = await fences.take([scope], 'bench');
  const fence = taken.ok ? taken.value[0] : undefined;
  if (fence === undefined) throw new Error(`${scope} is held`);
  return fence;
}
