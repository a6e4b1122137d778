import { namespacedName } from '#kernel';
import type { RepositoryDocument, TenantDiagnostic } from '../documents/repository-reading.ts';
import { type RepositoryOptions, rootTenant } from '../files/repository-options.ts';
import { identityKey } from './in-force.ts';
import { isReleasedByName } from './released.ts';

/** What is looked through for faults that no other document's meaning decides. */
export interface FaultInput {
  readonly options: Pick<RepositoryOptions, 'tenants'>;
  readonly released: ReadonlySet<string>;
  /** The documents of the commit. */
  readonly documents: readonly RepositoryDocument[];
  /** Those that may come in force, and those that are lost and still count. */
  readonly fresh: readonly RepositoryDocument[];
}

/** Finds documents that stand where they may not, or change nothing; one document per step. */
export function* findDocumentFaults(input: FaultInput): Generator<void, readonly TenantDiagnostic[], void> {
  const hasTenants = input.options.tenants.length > 0;
  const faults: TenantDiagnostic[] = [];
  const firsts = new Map<string, RepositoryDocument>();
  for (const document of input.fresh) {
    yield;
    if (document.role === 'Policy') {
      if (hasTenants && document.tenant === rootTenant) faults.push(outsider(document));
      continue;
    }
    const key = identityKey(document);
    const first = firsts.get(key);
    if (first === undefined) firsts.set(key, document);
    else faults.push(namesake(document, first));
  }
  for (const document of input.documents) {
    yield;
    if (isReleasedByName(document, input.released)) faults.push(releasedByName(document));
  }
  return faults;
}

/** Where there are tenants, a policy outside them is an error of the root. */
function outsider(document: RepositoryDocument): TenantDiagnostic {
  return {
    severity: 'error',
    code: 'OutsideTenants',
    message: `policy ${document.namespace === '' ? document.name : namespacedName(document)} is in no tenant's directory`,
    path: [],
    file: document.file,
    ...document.position,
    tenant: rootTenant,
  };
}

/** What its author may not know: the document changes nothing until an approver takes the release back. */
function releasedByName(document: RepositoryDocument): TenantDiagnostic {
  return {
    severity: 'warning',
    code: 'Released',
    message: `policy ${namespacedName(document)} was released by name, and is not in force`,
    hint: 'resumePolicy takes the release back',
    path: [],
    file: document.file,
    ...document.position,
    tenant: document.tenant,
  };
}

/** Two documents of one kind and name in one file, where the kind has no namespace to distinguish them. */
function namesake(document: RepositoryDocument, first: RepositoryDocument): TenantDiagnostic {
  return {
    severity: 'error',
    code: 'DuplicateName',
    message: `${document.kind} ${document.name} is in its file already, at line ${first.position.line}`,
    path: ['metadata', 'name'],
    file: document.file,
    ...document.locate(['metadata', 'name']),
    tenant: document.tenant,
  };
}
