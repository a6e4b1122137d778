import { describe, expect, it } from '@jest/globals';
import { type Problem, readPolicy } from '#policy';
import { readValidationTables, type ValidationRow } from './support/validation-table.ts';

describe.each(readValidationTables())('validation table $file', ({ rows }) => {
  it.each(rows)('$title', (row: ValidationRow) => {
    const { policy, problems } = readPolicy(row.document);
    const errors = problems.filter(({ severity }) => severity === 'error');
    if (row.errorAt === undefined) {
      expect(errors).toEqual([]);
      expect(policy).toBeDefined();
    } else {
      expect(policy).toBeUndefined();
      expect(errors.length).toBeGreaterThan(0);
      expect(errors.filter((error) => !isAbout(error, row.errorAt ?? []))).toEqual([]);
    }
  });
});

/** Whether an error stands at the field, inside it, or at the parent that would hold it. */
function isAbout(error: Problem, field: readonly string[]): boolean {
  const path = error.path.map(String);
  const common = Math.min(path.length, field.length);
  const isBeside =
    path.length >= field.length - 1 &&
    path.slice(0, field.length - 1).join('\0') === field.slice(0, -1).join('\0');
  return isBeside || path.slice(0, common).join('\0') === field.slice(0, common).join('\0');
}
