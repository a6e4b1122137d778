import { stateWords } from './model-state.ts';

/** Looked up once: in a test's own realm that takes long. */
const { imul } = Math;

/** The states that were found, each once, with the step by which it was found first: the shortest way to it. */
export class StateTable {
  words = new Int32Array(stateWords * 4_096);
  #parents = new Int32Array(4_096);
  #steps = new Uint8Array(4_096);
  /** Places of the states by their hash; -1: free. */
  #places = new Int32Array(16_384).fill(-1);
  size = 0;

  /** @returns the number of the state; one that is the table's size before the call is new */
  add(state: Int32Array, parent: number, step: number): number {
    if (this.size * 4 >= this.#places.length * 3) this.#rehash();
    let place = hashOf(state, 0) & (this.#places.length - 1);
    for (;;) {
      const found = this.#places[place]!;
      if (found === -1) break;
      if (this.#isEqual(found, state)) return found;
      place = (place + 1) & (this.#places.length - 1);
    }
    if (this.size === this.#parents.length) this.#grow();
    const number = this.size;
    this.#places[place] = number;
    this.words.set(state, number * stateWords);
    this.#parents[number] = parent;
    this.#steps[number] = step;
    this.size += 1;
    return number;
  }

  /** The steps to a state from the first one, and the states after each. */
  pathTo(number: number): readonly { readonly step: number; readonly state: number }[] {
    const path = [];
    for (let state = number; state > 0; state = this.#parents[state]!)
      path.push({ step: this.#steps[state]!, state });
    return path.reverse();
  }

  #isEqual(number: number, state: Int32Array): boolean {
    const at = number * stateWords;
    for (let index = 0; index < stateWords; index += 1)
      if (this.words[at + index] !== state[index]) return false;
    return true;
  }

  #grow(): void {
    const count = this.#parents.length * 2;
    this.words = extended(this.words, new Int32Array(count * stateWords));
    this.#parents = extended(this.#parents, new Int32Array(count));
    this.#steps = extended(this.#steps, new Uint8Array(count));
  }

  #rehash(): void {
    const places = new Int32Array(this.#places.length * 2).fill(-1);
    for (let number = 0; number < this.size; number += 1) {
      let place = hashOf(this.words, number * stateWords) & (places.length - 1);
      while (places[place] !== -1) place = (place + 1) & (places.length - 1);
      places[place] = number;
    }
    this.#places = places;
  }
}

function hashOf(words: Int32Array, at: number): number {
  let hash = 0;
  for (let index = 0; index < stateWords; index += 1) {
    hash = imul(hash ^ words[at + index]!, 0x9e3779b1);
    hash ^= hash >>> 15;
  }
  return hash;
}

function extended<T extends Int32Array | Uint8Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
