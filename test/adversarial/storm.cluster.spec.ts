import { appendFileSync } from 'node:fs';
import { describe, expect, it, jest } from '@jest/globals';
import { type ClusterStormReport, runClusterStorm } from './cluster-storm/run-cluster-storm.ts';

/** Longer: `STORM_SECONDS=600 STORM_SEED=7 npm run test:control-plane -- test/adversarial`. */
const seconds = Number(process.env['STORM_SECONDS'] ?? 20);
const seed = Number(process.env['STORM_SEED'] ?? 20_261_123);
const reportFile = process.env['STORM_REPORT'];

/** Starts, a rest and a reading of the ledger come on top of the storm itself. */
const restMilliseconds = 600_000;

jest.setTimeout(seconds * 1_000 + restMilliseconds);

describe('a storm of kills in writes, faults, stalls, clock steps, bad metrics and edits by others, on a real control plane', () => {
  it(`records what the API server does, and comes to rest (seed ${seed}, ${seconds} s)`, async () => {
    const report = await runClusterStorm({ seed, seconds });
    if (reportFile !== undefined) appendFileSync(reportFile, `${JSON.stringify(report)}\n`);
    const { accidents, recordDifferences, chainFaults, unconverged, errors } = report;
    expect({ accidents, recordDifferences, chainFaults, unconverged, errors }).toEqual(nothing);
  });
});

const nothing: Partial<ClusterStormReport> = {
  accidents: [],
  recordDifferences: [],
  chainFaults: [],
  unconverged: [],
  errors: [],
};
