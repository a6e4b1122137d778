import { describe, expect, it } from '@jest/globals';
import { AdapterError, type JsonObject } from '#kernel';
import { loadDiagnostics } from './revision-diagnostics.ts';

const commit = { hash: 'a'.repeat(40), author: 'Ada', subject: 'A commit', time: '2026-11-20T12:00:00Z' };
const recorded = {
  severity: 'error',
  code: 'InvalidType',
  message: 'no',
  file: 'a.yaml',
  line: 2,
  column: 3,
};
const answered = { ...recorded, hint: null };

describe('the diagnostics of a revision', () => {
  const of = (details: JsonObject, lines: () => Promise<readonly (string | null)[]>) =>
    loadDiagnostics({ loadLines: lines }, { source: 'policies', commit, details });

  it('come with the lines that they are about', async () => {
    const details = {
      diagnostics: [
        { ...recorded, hint: null, tenant: '' },
        { ...recorded, hint: 'try 3' },
      ],
    };
    expect(await of(details, () => Promise.resolve(['maxReplicas: many', null]))).toEqual([
      { ...answered, text: 'maxReplicas: many' },
      { ...answered, hint: 'try 3', text: null },
    ]);
  });

  it('begin with what rejects the commit, however many warnings an earlier release recorded before it', async () => {
    const warnings = Array.from({ length: 200 }, () => ({ ...recorded, severity: 'warning' }));
    const found = await of({ diagnostics: [...warnings, recorded] }, () => Promise.resolve([]));
    expect(found).toHaveLength(200);
    expect(found[0]).toEqual({ ...answered, text: null });
  });

  it('come without them where the repository cannot be read', async () => {
    const away = (): Promise<never> =>
      Promise.reject(new AdapterError({ code: 'Unreachable', message: 'no answer', retryable: true }));
    expect(await of({ diagnostics: [recorded] }, away)).toEqual([{ ...answered, text: null }]);
  });

  it('are none where the record has none', async () => {
    expect(await of({ diagnostics: 'none' }, () => Promise.resolve([]))).toEqual([]);
  });
});
