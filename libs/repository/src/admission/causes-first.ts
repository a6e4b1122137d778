import { byPosition, type DiagnosticCode } from '#policy';
import type { TenantDiagnostic } from '../documents/repository-reading.ts';

/** What is said of a policy in force whose file cannot be read: the errors of that file say why. */
const ofUnreadableFiles: ReadonlySet<DiagnosticCode> = new Set(['MissingResource', 'PolicyUnreadable']);

/**
 * By their places, with errors that only follow from others behind all others: whoever reads the first of them reads a
 * cause. `RemovalUncertain` follows from a file that is not read whole.
 */
export function causesFirst(diagnostics: readonly TenantDiagnostic[]): readonly TenantDiagnostic[] {
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  const broken = new Set(errors.filter(({ code }) => !isOfLoss(code)).map(({ file }) => file));
  const follows = ({ code, file }: TenantDiagnostic): boolean =>
    code === 'RemovalUncertain' || (ofUnreadableFiles.has(code) && broken.has(file));
  const sorted = diagnostics.toSorted(byPosition);
  return [...sorted.filter((each) => !follows(each)), ...sorted.filter(follows)];
}

function isOfLoss(code: DiagnosticCode): boolean {
  return code === 'RemovalUncertain' || ofUnreadableFiles.has(code);
}
