import {
  type ActiveDocument,
  type EffectiveValue,
  effectiveValues,
  type PolicyVersion,
  type StoredDocument,
} from '#git-sync';
import type { ActivePolicy } from '#reconciliation';
import type { SourceOperations } from '../../git-sync/source-operations.ts';
import { Batch } from '../requests/batch.ts';

/** Where the values of policies come from. What may be asked of a policy is decided where it is found. */
export class PolicyValues {
  readonly #sources: Pick<SourceOperations, 'documentsInForce' | 'defaultsAt'>;
  readonly #defaultsAt: Batch<
    Parameters<SourceOperations['defaultsAt']>[0][number],
    readonly StoredDocument[]
  >;
  /** Of what is in force now, which may be ten thousand documents, and the defaults among them. */
  readonly #defaultsNow = new WeakMap<readonly ActiveDocument[], readonly StoredDocument[]>();

  constructor({ sources }: { readonly sources: Pick<SourceOperations, 'documentsInForce' | 'defaultsAt'> }) {
    this.#sources = sources;
    this.#defaultsAt = new Batch({ load: (queries) => sources.defaultsAt(queries), maximumQueries: 100 });
  }

  /** Of a policy in force. */
  ofActive({ policy, origin }: ActivePolicy): readonly EffectiveValue[] {
    const documents = this.#sources.documentsInForce(origin.source);
    const found = documents.find((document) => document.policy === policy);
    return found === undefined ? [] : effectiveValues(found.stored, this.#defaultsIn(documents));
  }

  /** Of a version, by the defaults that were in force when it came. */
  async ofVersion(version: PolicyVersion): Promise<readonly EffectiveValue[]> {
    const { source, validFrom: time } = version;
    return effectiveValues(version, await this.#defaultsAt.read({ source, time }));
  }

  #defaultsIn(documents: readonly ActiveDocument[]): readonly StoredDocument[] {
    const known = this.#defaultsNow.get(documents);
    if (known !== undefined) return known;
    const found = documents.flatMap(({ stored }) => (stored.role === 'Defaults' ? [stored] : []));
    this.#defaultsNow.set(documents, found);
    return found;
  }
}
