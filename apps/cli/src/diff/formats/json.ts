import { pathText } from '#policy';
import type { DiffReport } from '../diff-report.ts';

/** For programs: one JSON object. */
export function formatJson({ base, head, differences, unchanged, errors }: DiffReport): string {
  const count = (change: string): number => differences.filter((each) => each.change === change).length;
  const summary = {
    added: count('Added'),
    removed: count('Removed'),
    changed: count('Changed'),
    moved: count('Moved'),
    invalid: count('Invalid'),
    unchanged,
  };
  const shownErrors = errors.map(({ path, ...error }) => ({ ...error, path: pathText(path) }));
  const report = {
    version: 1,
    base,
    head: head ?? null,
    summary,
    policies: differences,
    errors: shownErrors,
  };
  return `${JSON.stringify(report, null, 2)}\n`;
}
