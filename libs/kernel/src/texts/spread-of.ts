/**
 * A number in [0, 1) that depends on the text alone; many texts spread evenly. Not for secrets. It never changes between
 * releases: the shard of a policy follows from it.
 *
 * @see http://www.isthe.com/chongo/tech/comp/fnv/ (FNV-1a, 32 bits), then one round of MurmurHash3's finaliser,
 *   since FNV alone barely moves the high bits for texts that differ at the end (`web-1`, `web-2`).
 */
export function spreadOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);

  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}
