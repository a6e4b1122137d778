/** A text of a hold's effect, taken apart: of `shop/c changed: maxReplicas 20 → 5` the policy, and what becomes of it. */
export function partsOfEffect(text: string): readonly [policy: string, change: string] {
  const space = text.indexOf(' ');
  return [text.slice(0, space), text.slice(space + 1)];
}
