import type { Random } from '../../support/random.ts';
import {
  anything,
  integers,
  type Json,
  type JsonMap,
  names,
  quantities,
  valuesFor,
} from './document-values.ts';

/** What a kind's documents may get in addition. */
export interface Palette {
  readonly keys: readonly string[];
  readonly parts: readonly (() => Json)[];
}

/** Changes one place of a value: another value, another type, a field fewer, more, twice or misspelt. */
export function mutate(value: Json, palette: Palette, random: Random): void {
  const slots = slotsOf(value);
  if (slots.length === 0) return;
  const { parent, key, name } = random.pick(slots);
  const set = (next: Json): void => {
    (parent as Record<string | number, Json>)[key] = structuredClone(next);
  };
  const roll = random.next();
  if (roll < 0.55) set(random.pick(valuesFor(name)));
  else if (roll < 0.65) set(random.pick(anything));
  else if (roll < 0.75) remove(parent, key);
  else if (roll < 0.85) rename(parent, key, random);
  else if (roll < 0.93) add(parent, palette, random);
  else
    set(random.pick([null, '${VALUE}', random.pick(names), random.pick(quantities), random.pick(integers)]));
}

function remove(parent: JsonMap | Json[], key: string | number): void {
  if (Array.isArray(parent)) parent.splice(Number(key), 1);
  else Reflect.deleteProperty(parent, key);
}

/** Another letter case, or another key altogether. */
function rename(parent: JsonMap | Json[], key: string | number, random: Random): void {
  if (Array.isArray(parent)) {
    parent.push(structuredClone(parent[Number(key)] ?? null));
    return;
  }
  const name = String(key);
  const value = parent[name] ?? null;
  const next = random.pick([
    name.toUpperCase(),
    name.slice(1),
    `${name}s`,
    random.pick(names),
    name.slice(0, 1).toUpperCase() + name.slice(1),
  ]);
  if (random.chance(0.5)) Reflect.deleteProperty(parent, name);
  parent[next] = value;
}

function add(parent: JsonMap | Json[], { keys, parts }: Palette, random: Random): void {
  const extra = random.chance(0.3) ? random.pick(parts)() : random.pick(anything);
  if (Array.isArray(parent)) {
    parent.push(structuredClone(extra));
    return;
  }
  const key = random.pick(keys);
  parent[key] = structuredClone(random.chance(0.5) ? random.pick(valuesFor(key)) : extra);
}

interface Slot {
  readonly parent: JsonMap | Json[];
  readonly key: string | number;
  readonly name: string;
}

function slotsOf(value: Json, slots: Slot[] = [], name = ''): Slot[] {
  if (Array.isArray(value)) {
    for (const [key, item] of value.entries()) {
      slots.push({ parent: value, key, name });
      slotsOf(item, slots, name);
    }
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      slots.push({ parent: value, key, name: key });
      slotsOf(item, slots, key);
    }
  }
  return slots;
}
