import { randomInt } from 'node:crypto';

const largestSeed = 1_000_000;

/**
 * The seed of a run: what an environment variable says, else another one each time, so that all cases come in time. What
 * takes it prints it, so that a run is repeated by it.
 */
export function runSeed(variable: string): number {
  const given = process.env[variable];
  return given === undefined ? randomInt(1, largestSeed) : Number(given);
}
