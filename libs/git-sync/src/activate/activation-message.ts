import { describeCounts, type TenantAdmission, type TenantDiagnostic } from '#repository';
import type { Hold } from '../approve/approvals.ts';
import type { RevisionInput } from '../judge/revision-details.ts';

/**
 * What a commit came to, in a sentence: holds, what changed, for which tenants it is not in force where it is for others,
 * and the first of its errors and warnings.
 */
export function activationMessage(
  input: Pick<RevisionInput, 'admission' | 'holds'>,
  counts: {
    readonly outcome: string;
    readonly advancing: number;
    readonly put: number;
    readonly ended: number;
  },
): string {
  const { diagnostics } = input.admission;
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  const held = input.holds.open.flatMap(describeHold);
  const isNothing = held.length > 0 && counts.put + counts.ended === 0;
  const made = isNothing ? [] : [`${counted(counts.put, 'document')} changed, ${counts.ended} left`];
  const changed = [...held, ...made];
  const said = diagnosticsText('error', errors);
  const done = said.length === 0 || counts.advancing > 0 ? changed : [];
  const missing = counts.outcome === 'partial' ? missingText(input.admission.tenants) : [];
  return [...said, ...done, ...missing, ...warningsText(diagnostics)].join('; ');
}

function missingText(tenants: readonly TenantAdmission[]): readonly string[] {
  const missing = tenants.filter(({ status }) => status !== 'Advances').map(describeTenant);
  if (missing.length === 0) return [];
  const others = missing.length - maximumTenants;
  const more = others > 0 ? ` and ${others} more` : '';
  return [`not in force for ${missing.slice(0, maximumTenants).join(', ')}${more}`];
}

/** Tenants that a message names. */
const maximumTenants = 5;

function describeTenant({ tenant, status, waitsFor }: TenantAdmission): string {
  const name = tenant === '' ? 'the root' : `tenant ${tenant}`;
  if (status === 'Rejected') return `${name} (errors)`;
  if (status === 'HeldBack') return `${name} (held)`;
  return waitsFor === undefined ? `${name} (waits)` : `${name} (waits for ${waitsFor || 'the root'})`;
}

/** How many warnings there are, and the first of them; none where there are none. */
export function warningsText(diagnostics: readonly TenantDiagnostic[]): readonly string[] {
  return diagnosticsText(
    'warning',
    diagnostics.filter(({ severity }) => severity === 'warning'),
  );
}

function diagnosticsText(noun: string, [first, ...others]: readonly TenantDiagnostic[]): readonly string[] {
  if (first === undefined) return [];
  const place = `${first.file}:${first.line}:${first.column}`;
  const more = others.length > 0 ? ` (and ${others.length} more)` : '';
  return [`${counted(others.length + 1, noun)}: ${place}: ${first.message}${more}`];
}

/** Its causes, and what awaits the approval or was refused it, by whom and why. */
export function describeHold({ causes, effect, isRejected, rejection }: Hold): readonly string[] {
  const why = causes.map(({ code, message }) => `${code}: ${message}`);
  const rejected = rejection === undefined ? 'rejected' : `rejected by ${rejection.by} (${rejection.reason})`;
  const isPinned = causes.some(({ code }) => code === 'RolledBack');
  const standing = isPinned ? 'until it is resumed' : 'awaiting approval';
  const state = isRejected ? rejected : standing;
  return [...why, effect === undefined ? state : `${state}: ${describeCounts(effect)}`];
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
