import type { PolicyVersion, RevisionRecord } from '#git-sync';
import type { PolicyKey } from '#ledger';
import type { ClockPort } from '#reconciliation';
import { mayAct, type Principal } from '../../auth/callers/principal.ts';
import type { SourceOperations } from '../../git-sync/source-operations.ts';
import { checkedCommit, checkedPolicy, pastTime } from '../requests/check-query.ts';
import { type PageRequest, pageSizeOf } from '../requests/page.ts';
import { loadDiagnostics, type RevisionDiagnostic } from './revision-diagnostics.ts';
import type { SourceAccess, VisibleSource } from './source-access.ts';

/**
 * What is asked of the sources, their commits, and the policies that these brought. Every caller is answered with what is in
 * the namespaces that it may view: what it may not view is answered as what does not exist.
 */
export class SourceQueries {
  readonly #sources: SourceOperations;
  readonly #access: SourceAccess;
  readonly #clock: Pick<ClockPort, 'now'>;

  constructor(ports: {
    readonly sources: SourceOperations;
    readonly access: SourceAccess;
    readonly clock: Pick<ClockPort, 'now'>;
  }) {
    this.#sources = ports.sources;
    this.#access = ports.access;
    this.#clock = ports.clock;
  }

  /** The repositories that policies come from, as configured. */
  listSources(caller: Principal): readonly VisibleSource[] {
    return this.#access.list(caller);
  }

  /** Commits of a source that were judged, newest first; none where the caller may not see all of the source. */
  async listRevisions(
    caller: Principal,
    page: PageRequest,
    source: string,
  ): Promise<readonly RevisionRecord[]> {
    const limit = pageSizeOf(page);
    return this.#access.isWholeVisible(caller, source) ? this.#sources.listRevisions(source, limit) : [];
  }

  /**
   * What the newest judgement of a commit (its full hash) came to, however long ago; undefined: none is known, or the
   * caller may not see all of the source.
   */
  async findRevision(caller: Principal, source: string, commit: string): Promise<RevisionRecord | undefined> {
    const hash = checkedCommit(commit);
    return this.#access.isWholeVisible(caller, source)
      ? this.#sources.latestRevision(source, hash)
      : undefined;
  }

  /** What is wrong with a revision; nothing where it is not known, or the caller may not see all of the source. */
  async listDiagnostics(
    caller: Principal,
    source: string,
    commit: string,
  ): Promise<readonly RevisionDiagnostic[]> {
    const revision = await this.findRevision(caller, source, commit);
    return revision === undefined ? [] : loadDiagnostics(this.#sources, revision);
  }

  /**
   * Which policy of that name was in force at a time (RFC 3339). The future is not known.
   *
   * @throws QueryError `BadTime`
   */
  async findPolicyAt(caller: Principal, policy: PolicyKey, time: string): Promise<PolicyVersion | undefined> {
    const utc = pastTime('time', time, this.#clock.now());
    const key = checkedPolicy(policy);
    if (!mayAct(caller, 'viewer', key.namespace)) return undefined;
    const [version] = await this.#sources.versionsAt([{ ...key, time: utc }]);
    return version;
  }
}
