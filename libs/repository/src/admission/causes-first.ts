import { byPosition, type DiagnosticCode } from '#policy';
import type { TenantDiagnostic } from '../documents/repository-reading.ts';

/** What is said of a policy in force whose file cannot be read: the errors of that file say why. */
const ofUnreadableFiles: ReadonlySet<DiagnosticCode> = new Set(['MissingResource', 'PolicyUnreadable']);

/**
 * By their places, with what only follows from others behind all others: whoever reads the first of them reads a cause.
 * `RemovalUncertain` follows from a file that is not read whole, `NeedsRendering` from a kustomization that is not, where
 * there is one.
 */
export function causesFirst(diagnostics: readonly TenantDiagnostic[]): readonly TenantDiagnostic[] {
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  const broken = new Set(errors.filter(({ code }) => !isOfLoss(code)).map(({ file }) => file));
  const hasUnread = diagnostics.some(({ code }) => code === 'KustomizationUnreadable');
  const follows = ({ code, file }: TenantDiagnostic): boolean =>
    code === 'RemovalUncertain' ||
    (code === 'NeedsRendering' && hasUnread) ||
    (ofUnreadableFiles.has(code) && broken.has(file));
  const sorted = diagnostics.toSorted(byPosition);
  return [...sorted.filter((each) => !follows(each)), ...sorted.filter(follows)];
}

function isOfLoss(code: DiagnosticCode): boolean {
  return code === 'RemovalUncertain' || ofUnreadableFiles.has(code);
}

/**
 * In the order in which a person is told of them: of a field that is missing since its name is misspelt, the slip is told
 * before the consequence.
 */
export function slipsFirst(diagnostics: readonly TenantDiagnostic[]): readonly TenantDiagnostic[] {
  const meantFields = new Set(
    diagnostics.flatMap(({ code, file, path, meant }) =>
      code === 'UnknownField' && meant !== undefined ? [fieldKey(file, [...path.slice(0, -1), meant])] : [],
    ),
  );
  const follows = ({ code, file, path }: TenantDiagnostic): boolean =>
    code === 'Required' && meantFields.has(fieldKey(file, path));
  return [...diagnostics.filter((each) => !follows(each)), ...diagnostics.filter(follows)];
}

function fieldKey(file: string, path: TenantDiagnostic['path']): string {
  return `${file} ${JSON.stringify(path)}`;
}
