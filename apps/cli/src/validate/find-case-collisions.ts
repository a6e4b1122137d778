import type { TenantDiagnostic, TreeFile } from '#repository';

/** Files whose names differ in letter case alone: on macOS and Windows one of them is not there. */
export function findCaseCollisions(files: readonly TreeFile[]): readonly TenantDiagnostic[] {
  const seen = new Map<string, string>();
  const found: TenantDiagnostic[] = [];
  for (const { path } of files) {
    if (!/\.ya?ml$/i.test(path)) continue;
    const folded = path.toLowerCase();
    const other = seen.get(folded);
    if (other === undefined) seen.set(folded, path);
    else found.push(collision(path, other));
  }
  return found;
}

function collision(file: string, other: string): TenantDiagnostic {
  const message = `differs from ${other} in letter case only`;
  const hint = 'rename one: a disk that does not tell them apart holds only one';
  return {
    severity: 'warning',
    code: 'CaseCollision',
    message,
    hint,
    path: [],
    file,
    line: 1,
    column: 1,
    tenant: '',
  };
}
