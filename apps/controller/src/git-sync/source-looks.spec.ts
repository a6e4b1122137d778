import { describe, expect, it } from '@jest/globals';
import type { LastSync } from '#git-sync';
import { SourceLooks } from './source-looks.ts';

const look = (time: string, staleSince: string | null): LastSync => ({
  time,
  outcome: {
    source: 'policies',
    result: staleSince === null ? 'unchanged' : 'failed',
    commit: null,
    message: '',
    diagnostics: [],
    holds: [],
  },
  staleSince,
});

describe('looks at sources', () => {
  const stored = new Map<string, LastSync>();
  const aReplica = (mode: 'OneProcess' | 'Replicas' = 'Replicas'): SourceLooks =>
    new SourceLooks({
      store: {
        list: () => Promise.resolve(new Map(stored)),
        store: (source, noted) => Promise.resolve(void stored.set(source, noted)),
      },
      holdings: { of: (scope) => ({ scope, epoch: 1n, holder: 'this' }) },
      leadership: { mode },
      logger: { info: () => undefined, warn: () => undefined },
    });

  it('are told to other replicas, and stale since the first that failed, whoever looked', async () => {
    const [first, second] = [aReplica(), aReplica()];
    await first.note('policies', look('12:00', '12:00'));
    await second.follow();
    expect(second.of('policies')).toEqual(look('12:00', '12:00'));
    await second.note('policies', look('12:05', '12:05'));
    await first.follow();
    expect([first, second].map((each) => each.of('policies'))).toEqual([
      look('12:05', '12:00'),
      look('12:05', '12:00'),
    ]);
    await second.note('policies', look('12:06', null));
    await second.note('policies', look('12:07', '12:07'));
    expect(second.of('policies')?.staleSince).toBe('12:07');
  });

  it('are told with their first ten errors', async () => {
    const error = { severity: 'error', code: 'Syntax', message: 'x', file: 'a.yaml' } as const;
    const errors = Array.from({ length: 12 }, (_, index) => ({
      ...error,
      ...{ line: index + 1, column: 1, tenant: '', path: [], hint: '' },
    }));
    const warning = {
      ...error,
      severity: 'warning' as const,
      line: 1,
      column: 1,
      tenant: '',
      path: [],
      hint: '',
    };
    const rejected = look('12:08', null);
    const outcome = { ...rejected.outcome, diagnostics: [warning, ...errors] };
    const replica = aReplica();
    await replica.note('policies', { ...rejected, outcome });
    expect(replica.of('policies')?.outcome.diagnostics).toEqual(errors.slice(0, 10));
  });

  it('are nothing that one process stores', async () => {
    stored.clear();
    await aReplica('OneProcess').note('policies', look('12:00', null));
    expect(stored.size).toBe(0);
  });
});
