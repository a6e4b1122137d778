import { appendFileSync } from 'node:fs';
import { describe, expect, it, jest } from '@jest/globals';
import { runStorm, type StormReport } from './storm/run-storm.ts';

const seconds = Number(process.env['STORM_SECONDS'] ?? 15);
const seed = Number(process.env['STORM_SEED'] ?? 20_261_122);
const reportFile = process.env['STORM_REPORT'];

/** A start, a rest and a reading of the ledger come on top of the storm itself. */
const restMilliseconds = 420_000;

jest.setTimeout(seconds * 1_000 + restMilliseconds);

describe('a storm of kills, faults, stalls, clock steps, hostile commits and hostile requests', () => {
  it(`scales nothing in by accident and records every change once (seed ${seed}, ${seconds} s)`, async () => {
    const report = await runStorm({ seed, seconds });
    if (reportFile !== undefined) appendFileSync(reportFile, `${JSON.stringify(report)}\n`);
    const { accidents, recordDifferences, chainFaults, unconverged, errors } = report;
    expect({ accidents, recordDifferences, chainFaults, unconverged, errors }).toEqual(nothing);
  });
});

const nothing: Partial<StormReport> = {
  accidents: [],
  recordDifferences: [],
  chainFaults: [],
  unconverged: [],
  errors: [],
};
