import { counted, nameSome, namespacedName } from '#kernel';
import { sentenceOf } from '#policy';
import {
  describeCounts,
  type RepositoryDocument,
  slipsFirst,
  type TenantAdmission,
  type TenantDiagnostic,
} from '#repository';
import type { Hold } from '../holds/approvals.ts';
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
    readonly ended: readonly Pick<RepositoryDocument, 'role' | 'kind' | 'namespace' | 'name'>[];
  },
): string {
  const { diagnostics } = input.admission;
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  const held = input.holds.open.flatMap(describeHold);
  const isNothing = held.length > 0 && counts.put + counts.ended.length === 0;
  const made = isNothing ? [] : [`${counted(counts.put, 'document')} changed, ${leftText(counts.ended)}`];
  const changed = [...held, ...made];
  const said = diagnosticsText('error', errors);
  const done = said.length === 0 || counts.advancing > 0 ? changed : [];
  const missing = counts.outcome === 'partial' ? missingText(input.admission.tenants) : [];
  return [...said, ...done, ...missing, ...warningsText(diagnostics)].join('; ');
}

/** `1 left: shop/gateway`. Documents that have no namespace are named with their kind. */
function leftText(
  ended: readonly Pick<RepositoryDocument, 'role' | 'kind' | 'namespace' | 'name'>[],
): string {
  if (ended.length === 0) return '0 left';
  const names = ended.map((each) =>
    each.role === 'Policy' ? namespacedName(each) : `${each.kind} ${each.name}`,
  );
  return `${ended.length} left: ${nameSome(names.toSorted(), maximumLeft)}`;
}

function missingText(tenants: readonly TenantAdmission[]): readonly string[] {
  const missing = tenants.filter(({ status }) => status !== 'Advances').map(describeTenant);
  if (missing.length === 0) return [];
  return [`not in force for ${nameSome(missing, maximumTenants)}`];
}

/** Tenants that a message names. */
const maximumTenants = 5;

/** Documents that left and that a message names. */
const maximumLeft = 5;

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

function diagnosticsText(noun: string, found: readonly TenantDiagnostic[]): readonly string[] {
  const [first, ...others] = slipsFirst(found);
  if (first === undefined) return [];
  const place = `${first.file}:${first.line}:${first.column}`;
  const more = others.length > 0 ? ` (and ${others.length} more)` : '';
  return [`${counted(others.length + 1, noun)}: ${place}: ${sentenceOf(first)}${more}`];
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
