import { describe, expect, it } from '@jest/globals';
import { MemoryBench, policyYaml } from '#git-sync/testing';

const exported = (version: string, replicas: number): string => `${policyYaml('a').replace(
  '  name: a\n',
  `  name: a\n  resourceVersion: "${version}"\n  uid: f00\n`,
)}status:
  currentReplicas: ${replicas}
`;

describe('a document that was exported from a cluster', () => {
  it('does not change when only what the server sets differs', async () => {
    const bench = new MemoryBench();
    await bench.commit({ 'a.yaml': exported('1', 3) });
    const [before] = bench.active.listActivePolicies();
    expect(before?.document).not.toHaveProperty('status');
    expect(before?.document).toHaveProperty('metadata', { name: 'a', namespace: 'shop' });
    await bench.commit({ 'a.yaml': exported('2', 4) });
    expect(bench.last?.diagnostics.map(({ code, message }) => `${code} ${message}`)).toEqual([
      'ServerSetField uid, resourceVersion and status are set by the server; here they do nothing',
    ]);
    expect(bench.journal.changes).toHaveLength(1);
    expect(bench.active.listActivePolicies()[0]?.document).toEqual(before?.document);
  });
});
