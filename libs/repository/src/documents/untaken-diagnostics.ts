import { nameSome } from '#kernel';
import {
  type Diagnostic,
  locateField,
  mayBeFilled,
  pathText,
  type PolicyFileDocument,
  readPolicyDocument,
  suggest,
} from '#policy';
import { maximumIgnoreRules } from '../files/ignore-rules.ts';
import type { ManagedNamespaces, RepositoryOptions, TenantOptions } from '../files/repository-options.ts';
import type { TreeFile } from '../files/tree-file.ts';
import { textOf } from './make-document.ts';
import type { UntakenEffect } from './overlays.ts';
import type { TenantDiagnostic } from './repository-reading.ts';

/** A controller may manage thousands of namespaces; a message is one line. */
const maximumNamedNamespaces = 5;

/** Each unmanaged document is compared with so many for a slip of the pen: with all of thousands takes seconds. */
const maximumComparedNamespaces = 100;

const elsewhere =
  "add the namespace to the configuration's namespaces, or leave the document to another controller";

/** A policy that a kustomization leaves out, or that only a render knows whole. */
export function notTaken(
  document: PolicyFileDocument,
  effect: UntakenEffect,
): Omit<TenantDiagnostic, 'tenant'> {
  const { reason, message, hint } = effect;
  return {
    severity: 'warning',
    code: reason,
    message: `${textOf(document.kind)} ${document.name ?? ''} is not taken: ${message}`,
    ...(hint === undefined ? {} : { hint }),
    path: [],
    file: document.file,
    ...document.start,
  };
}

/** A policy of a namespace that is another controller's, or that is mistyped. */
export function notManaged(
  document: PolicyFileDocument,
  namespace: string,
  { managed, tenant }: { readonly managed: ManagedNamespaces; readonly tenant: TenantOptions | undefined },
): Omit<TenantDiagnostic, 'tenant'> {
  const { name = '' } = document;
  const { namespaces, outside } = managed;
  const known = tenant?.namespaces ?? namespaces;
  // One that is its tenant's is no slip of the pen.
  const meant = known.includes(namespace)
    ? undefined
    : suggest(namespace, known.slice(0, maximumComparedNamespaces));
  const path = ['metadata', 'namespace'];
  return {
    severity: outside,
    code: 'NamespaceNotManaged',
    message: `${textOf(document.kind)} ${namespace}/${name} is not taken: this controller manages ${nameSome(namespaces, maximumNamedNamespaces)}`,
    ...(meant === undefined
      ? { hint: elsewhere }
      : { hint: `did you mean ${meant}? else ${elsewhere}`, meant }),
    path,
    file: document.file,
    ...locateField(document, path),
  };
}

/**
 * All that is wrong with a document that cannot be used. What defaults, a kustomization or the source may fill in is no
 * error where it is missing; an apiVersion is, since nothing fills it in and without it the document is nobody's.
 */
export function unusableDiagnostics(document: PolicyFileDocument): readonly Diagnostic[] {
  const isFilled = (path: Diagnostic['path']): boolean =>
    document.kind === 'AutoscalingPolicy' && mayBeFilled(document.value, path);
  return readPolicyDocument(document).diagnostics.filter(
    ({ code, path }) => code !== 'Required' || !(isFilled(path) || pathText(path) === 'metadata.namespace'),
  );
}

/** An error where the file has a document of ours: what it says is not known. */
export function tooLargeFile(
  { path }: TreeFile,
  { isOurs, sizeBytes }: { readonly isOurs: boolean; readonly sizeBytes?: number },
  { fileBytes }: RepositoryOptions['limits'],
): Diagnostic {
  const size =
    sizeBytes === undefined ? `more than ${fileBytes} bytes` : `${sizeBytes} bytes, more than ${fileBytes}`;
  return {
    severity: isOurs ? 'error' : 'warning',
    code: 'TooLarge',
    message: `the file has ${size}, and was not read`,
    hint: isOurs
      ? 'split it, or raise limits.fileBytes of the source'
      : 'name it in a .plimsollignore, split it, or raise limits.fileBytes of the source',
    path: [],
    file: path,
    line: 1,
    column: 1,
  };
}

/** An error: what it would leave out must not come in force because it was not read. */
export function unreadableIgnoreFile({ path }: TreeFile, { limits }: RepositoryOptions): Diagnostic {
  return {
    severity: 'error',
    code: 'TooLarge',
    message: `the file has more than ${maximumIgnoreRules} rules, or more than ${limits.fileBytes} bytes`,
    hint: 'leave out whole folders',
    path: [],
    file: path,
    line: 1,
    column: 1,
  };
}
