import { mapInSteps } from '#kernel';
import { readPolicy } from '#policy';
import type { ActivePolicy } from '#reconciliation';
import type { ActivePoliciesPort } from '#reconciliation';
import { type DocumentInForce, type ForeignPolicy, targetKey } from '#repository';
import type { StoredDocument } from '../ports/revision-store.port.ts';
import { SerialQueue } from './serial-queue.ts';

/** A document in force, and where it comes from. */
export interface ActiveDocument extends DocumentInForce {
  readonly stored: StoredDocument;
}

/** Documents of a source that may be put into force at once. */
export interface PreparedDocuments {
  readonly source: string;
  readonly documents: readonly ActiveDocument[];
  readonly policies: readonly ActivePolicy[];
}

/** Makes what {@link ActivePolicySet.replace} takes, one document per step. */
export function* prepareDocuments(
  source: string,
  documents: readonly ActiveDocument[],
): Generator<void, PreparedDocuments, void> {
  const policies = yield* mapInSteps(documents, (document) => activePolicies(source, document));
  return { source, documents, policies: policies.flat() };
}

/** The policies of all sources, in memory. */
export class ActivePolicySet implements ActivePoliciesPort {
  readonly #sources = new Map<string, PreparedDocuments>();
  readonly #listeners = new Set<() => void>();
  readonly #queue = new SerialQueue();
  readonly #versions = new Map<string, number>();
  #policies: readonly ActivePolicy[] = [];

  listActivePolicies(): readonly ActivePolicy[] {
    return this.#policies;
  }

  /** The documents that a source has in force. */
  documentsOf(source: string): readonly ActiveDocument[] {
    return this.#sources.get(source)?.documents ?? [];
  }

  /** Changes whenever another source's policies do: what was judged against those before is judged again. */
  versionOfOthers(source: string): number {
    return [...this.#versions].reduce((sum, [name, version]) => (name === source ? sum : sum + version), 0);
  }

  /**
   * Lets one source at a time put policies in force: two that were judged side by side would not know of each other's
   * newcomers.
   */
  runExclusively<T>(work: () => Promise<T>): Promise<T> {
    return this.#queue.run(work);
  }

  /** The policies that other sources have in force. */
  policiesOfOthers(source: string): readonly ForeignPolicy[] {
    return [...this.#sources]
      .filter(([name]) => name !== source)
      .flatMap(([name, { documents }]) =>
        documents.flatMap(({ policy }) =>
          policy === undefined
            ? []
            : [
                {
                  source: name,
                  namespace: policy.namespace,
                  name: policy.name,
                  targetKey: targetKey(policy),
                },
              ],
        ),
      );
  }

  /**
   * Puts a source's documents in force, in place of those before, and notifies the listeners: one step, since a pass must
   * never see some policies of a commit without the others.
   */
  replace(prepared: PreparedDocuments): void {
    const { source } = prepared;
    this.#sources.set(source, prepared);
    this.#versions.set(source, (this.#versions.get(source) ?? 0) + 1);
    this.#policies = [...this.#sources.values()].flatMap(({ policies }) => policies);
    for (const listener of this.#listeners) listener();
  }

  /** Calls the listener after every change; it must not throw. Returns what ends it. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

function activePolicies(source: string, active: ActiveDocument): readonly ActivePolicy[] {
  const { policy, document, stored } = active;
  if (policy === undefined || document === undefined) return [];
  const { commit, file, line } = stored;
  return [{ policy, document, origin: { source, commit, file, line } }];
}

/**
 * A stored document as it is in force. It was valid when it was activated; what this version would refuse stays known,
 * and is not decided.
 */
export function restoreDocument(stored: StoredDocument): ActiveDocument {
  const position = { line: stored.line, column: stored.column };
  const source = {
    role: stored.role,
    tenant: stored.tenant,
    kind: stored.kind,
    namespace: stored.namespace,
    name: stored.name,
    file: stored.file,
    blob: stored.blob,
    position,
    isListed: stored.isListed,
    value: stored.value,
    locate: () => position,
  };
  if (stored.document === null) return { source, stored };
  const { policy } = readPolicy(stored.document);
  return policy === undefined ? { source, stored } : { source, stored, policy, document: stored.document };
}
