import type { Random } from '../../support/random.ts';

/** Where JSON that a field holds is reached as well. */
const deepest = 12;

const strangers: readonly unknown[] = [null, 'hello', '', -1, 1e21, true, [], {}, [null], { hello: [] }];

/** An answer that was changed, and the place and the value, for who reads of it. */
export interface Garbled {
  readonly answer: unknown;
  readonly at: string;
}

/** The answer with one value of it, drawn from all depths alike, in the place of which stands what nobody expects. */
export function garbled(answer: unknown, random: Random): Garbled {
  return garbleWithin(answer, 1 + random.below(deepest), random);
}

function garbleWithin(value: unknown, depth: number, random: Random): Garbled {
  const keys = typeof value === 'object' && value !== null ? Object.keys(value) : [];
  if (depth === 0 || keys.length === 0) {
    const answer = random.pick(strangers);
    return { answer, at: ` ${JSON.stringify(answer)}` };
  }
  const key = random.pick(keys);
  const entries = value as Readonly<Record<string, unknown>>;
  const changed = garbleWithin(entries[key], depth - 1, random);
  const answer: unknown = Array.isArray(value)
    ? value.with(Number(key), changed.answer)
    : { ...entries, [key]: changed.answer };
  return { answer, at: `.${key}${changed.at}` };
}
