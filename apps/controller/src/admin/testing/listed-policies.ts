import { anActivePolicy, FakeClock } from '#reconciliation/testing';
import { PolicyQueries } from '../policies/policy-queries.ts';

/**
 * Queries over so many policies in force, of which nothing is reported. What else there is to ask is asked for by no list of
 * policies.
 *
 * @param onRead is told of each read of what passes reported, and of how many policies it is; the answer waits for it
 */
export function listedPolicies(count: number, onRead: (policies: number) => unknown): PolicyQueries {
  const policies = Array.from({ length: count }, (_, index) => anActivePolicy({ name: `web-${index}` }));
  return new PolicyQueries({
    activePolicies: { listActivePolicies: () => policies },
    access: { list: () => [] },
    sources: { listSources: () => [] },
    interventions: { list: () => [] },
    controller: { mode: 'Act' },
    interventionLimit: { maximumHours: 24 },
    modes: { now: () => () => 'Act' },
    windows: { windowsInForce: () => [] },
    clock: new FakeClock(),
    reports: {
      of: async (part: readonly unknown[]) => {
        await onRead(part.length);
        return new Map();
      },
    },
  } as unknown as ConstructorParameters<typeof PolicyQueries>[0]);
}
