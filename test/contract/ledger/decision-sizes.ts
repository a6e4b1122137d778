import { describe, expect, it } from '@jest/globals';
import { maximumDecisionBytes, storeDecisions } from '../../support/decision-sizes.ts';

/** What decisions take on disk, with their indexes and the free space of their pages. */
export function describeDecisionSizes(createDatabase: (name: string) => Promise<string>): void {
  describe('decisions on disk', () => {
    it.each([
      { pods: 10, copies: 40 },
      { pods: 100, copies: 10 },
    ] as const)('stay within the budget of those over $pods pods', async ({ pods, copies }) => {
      const { bytesOnDisk } = await storeDecisions(await createDatabase(`over-${pods}-pods`), {
        pods,
        copies,
      });
      expect(bytesOnDisk).toBeLessThan(maximumDecisionBytes[pods]);
    });
  });
}
