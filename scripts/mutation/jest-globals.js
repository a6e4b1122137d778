// The part of Jest's globals that the decision suites use, for running them many times in one process.
import { expect } from 'expect';

export { expect };

/** Every test in the order of its declaration. */
export const tests = [];
const path = [];

export function describe(name, declare) {
  path.push(name);
  declare();
  path.pop();
}

export function it(name, run) {
  tests.push({ name: [...path, name].join(' › '), run });
}

describe.each = eachOf(describe);
it.each = eachOf(it);

function eachOf(declare) {
  return (rows) => (name, run) => {
    for (const row of rows) {
      const values = Array.isArray(row) ? row : [row];
      declare(`${name} ${String(JSON.stringify(values[0])).slice(0, 60)}`, () => run(...values));
    }
  };
}
