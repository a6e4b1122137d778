import { ModelState, stateWords } from './model-state.ts';
import type { ProtocolModel } from './protocol-model.ts';
import { StateTable } from './state-table.ts';
import { describeStep, isFault } from './steps.ts';

/** What an exploration came to. */
export interface Exploration {
  readonly states: number;
  readonly steps: number;
  /** The rule that was broken, and the shortest way there; null: none was. */
  readonly violation: Violation | null;
}

interface Violation {
  readonly rule: string;
  readonly trace: readonly string[];
}

/** Where the steps that are no fault lead, state by state. */
class StepList {
  targets = new Int32Array(1 << 16);
  firsts: number[] = [];
  size = 0;

  add(target: number): void {
    if (this.size === this.targets.length) {
      const larger = new Int32Array(this.size * 2);
      larger.set(this.targets);
      this.targets = larger;
    }
    this.targets[this.size] = target;
    this.size += 1;
  }
}

/**
 * Visits every state that the model can reach, breadth first, so that the first violation has the shortest trace; then
 * looks, backwards, for states from which the policy is never watched again.
 */
export function explore(model: ProtocolModel, maximumStates = Number.POSITIVE_INFINITY): Exploration {
  const table = new StateTable();
  const faultless = new StepList();
  const words = new Int32Array(stateWords);
  const state = new ModelState();
  model.start(state);
  state.pack(words);
  table.add(words, -1, 0);
  let steps = 0;
  for (let number = 0; number < table.size; number += 1) {
    if (table.size > maximumStates) throw new Error(`more than ${maximumStates} states`);
    state.unpack(table.words, number * stateWords);
    faultless.firsts.push(faultless.size);
    const broken: Violation[] = [];
    model.expand(state, (next, step, rule) => {
      steps += 1;
      next.pack(words);
      const before = table.size;
      if (rule !== null) {
        broken.push({ rule, trace: [...traceOf(table, number), describeStep(step)] });
        return;
      }
      const found = table.add(words, number, step);
      if (!isFault(step) && (found !== number || found >= before)) faultless.add(found);
    });
    const [violation] = broken;
    if (violation !== undefined) return { states: table.size, steps, violation };
  }
  faultless.firsts.push(faultless.size);
  const lost = firstUnwatched(model, table, faultless);
  const violation =
    lost === null
      ? null
      : {
          rule: 'the policy is never watched again',
          trace: [...traceOf(table, lost), stateText(table, lost)],
        };
  return { states: table.size, steps, violation };
}

/** The first state from which no faultless way leads to one in which the policy is watched; null: there is none. */
function firstUnwatched(model: ProtocolModel, table: StateTable, steps: StepList): number | null {
  const { sources, firsts } = reversed(steps, table.size);
  const isWatched = new Uint8Array(table.size);
  const queue = new Int32Array(table.size);
  let length = 0;
  const visit = (number: number): void => {
    if (isWatched[number] === 1) return;
    isWatched[number] = 1;
    queue[length] = number;
    length += 1;
  };
  const state = new ModelState();
  for (let number = 0; number < table.size; number += 1) {
    state.unpack(table.words, number * stateWords);
    if (model.isWatched(state)) visit(number);
  }
  for (let index = 0; index < length; index += 1) {
    const number = queue[index]!;
    for (let edge = firsts[number]!; edge < firsts[number + 1]!; edge += 1) visit(sources[edge]!);
  }
  const lost = isWatched.indexOf(0);
  return lost === -1 ? null : lost;
}

/** Where each state is reached from. */
function reversed(
  { targets, firsts }: StepList,
  states: number,
): { readonly sources: Int32Array; readonly firsts: Int32Array } {
  const edges = firsts[states]!;
  const ends = new Int32Array(states + 1);
  for (let edge = 0; edge < edges; edge += 1) ends[targets[edge]! + 1]! += 1;
  for (let number = 0; number < states; number += 1) ends[number + 1]! += ends[number]!;
  const begins = ends.slice();
  const sources = new Int32Array(edges);
  for (let number = 0; number < states; number += 1) {
    for (let edge = firsts[number]!; edge < firsts[number + 1]!; edge += 1) {
      const target = targets[edge]!;
      sources[begins[target]!] = number;
      begins[target]! += 1;
    }
  }
  return { sources, firsts: ends };
}

function traceOf(table: StateTable, number: number): readonly string[] {
  return table.pathTo(number).map(({ step }) => describeStep(step));
}

function stateText(table: StateTable, number: number): string {
  const state = new ModelState();
  state.unpack(table.words, number * stateWords);
  return JSON.stringify(state);
}
