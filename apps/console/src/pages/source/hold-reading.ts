import type { SourceHoldFragment } from './source.generated.ts';

type Cause = SourceHoldFragment['causes'][number];

/** The causes of a hold, and what of them belongs beside a policy. */
export interface HoldReading {
  /** Without the items that the list of policies says already. */
  readonly causes: readonly Cause[];
  /** What a cause says of a policy, by `namespace/name`. */
  readonly warnings: ReadonlyMap<string, readonly string[]>;
}

/** `shop/checkout changed`: the list of policies says it with its figures. */
const saidAlready = /^\S+ (?:new|changed|gone)$/;

/** Reads a hold so that nothing is said twice: what is about a policy that is listed stands beside it. */
export function readHold({ causes, effects }: Pick<SourceHoldFragment, 'causes' | 'effects'>): HoldReading {
  const listed = new Set(effects.map(({ policy }) => `${policy.namespace}/${policy.name}`));
  const warnings = new Map<string, readonly string[]>();
  const left = causes.map((cause) => {
    const items = cause.items.filter((item) => {
      const space = item.indexOf(' ');
      const policy = space === -1 ? item : item.slice(0, space);
      if (!listed.has(policy)) return true;
      if (!saidAlready.test(item) && space !== -1)
        warnings.set(policy, [...(warnings.get(policy) ?? []), item.slice(space + 1)]);
      return false;
    });
    return { ...cause, items: items.toSorted(naturally.compare) };
  });
  return { causes: left, warnings };
}

/** `extra-2` before `extra-10` */
const naturally = new Intl.Collator('en', { numeric: true });
