import type { Problem } from '../diagnostics/diagnostic.ts';
import { type Fields, readDocument, readMap } from '../reading/fields.ts';
import { readName, readOptionalName } from '../reading/named.ts';
import { ProblemList } from '../reading/problem-list.ts';
import { dnsLabelFault, dnsSubdomainFault } from '../rules/names.ts';
import { definitions, fieldsOf, supportDocument } from '../schema/parts.ts';

const documentFields = fieldsOf(supportDocument);
const metadataFields = fieldsOf(definitions.metadata);

/** A document of ours that is no policy, as read. */
export interface SupportReading<T> {
  /** Absent where something is an error. */
  readonly value?: T;
  readonly problems: readonly Problem[];
}

/** Reads name and `spec` of such a document; they live in the repository only, so their metadata is small. */
export function readSupportDocument<T>(
  value: unknown,
  specFields: ReadonlySet<string>,
  read: (name: string, spec: Fields) => T | undefined,
): SupportReading<T> {
  const list = new ProblemList();
  const document = readDocument(value, list);
  if (document === undefined) return { problems: list.all() };
  document.refuseUnknown(documentFields);
  const name = readSupportName(document);
  const spec = document.requires('spec') ? document.map('spec', specFields) : undefined;
  const result = spec === undefined ? undefined : read(name ?? '', spec);
  const problems = list.all();
  const hasError = problems.some(({ severity }) => severity === 'error');
  return result === undefined || hasError ? { problems } : { value: result, problems };
}

function readSupportName(document: Fields): string | undefined {
  const item = document.item('metadata');
  const metadata = item === undefined ? undefined : readMap(item, metadataFields);
  if (metadata === undefined) {
    document.requires('metadata');
    return undefined;
  }
  metadata.stringMap('labels');
  metadata.stringMap('annotations');
  readOptionalName(metadata, 'namespace', dnsLabelFault);
  return readName(metadata, 'name', dnsSubdomainFault);
}
