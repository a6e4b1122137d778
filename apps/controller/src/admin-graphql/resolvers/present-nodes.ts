import { policyOfStream } from '#ledger';
import type { InterventionActions } from '../../admin/actions/intervention-actions.ts';
import type { PolicyQueries } from '../../admin/policies/policy-queries.ts';
import type { SourceAccess } from '../../admin/sources/source-access.ts';
import type { Principal } from '../../auth/callers/principal.ts';
import type { Node } from '../types/audit-entry.type.ts';
import { toIntervention } from '../types/intervention.type.ts';
import { toPolicy } from '../types/policy.type.ts';
import { toSource } from '../types/source.type.ts';

/** What there is now of what has an id: policies in force, sources, and interventions that stand. */
export class PresentNodes {
  readonly #policies: Pick<PolicyQueries, 'findPolicy'>;
  readonly #sources: Pick<SourceAccess, 'list'>;
  readonly #interventions: Pick<InterventionActions, 'list'>;

  constructor(ports: {
    readonly policies: Pick<PolicyQueries, 'findPolicy'>;
    readonly sources: Pick<SourceAccess, 'list'>;
    readonly interventions: Pick<InterventionActions, 'list'>;
  }) {
    this.#policies = ports.policies;
    this.#sources = ports.sources;
    this.#interventions = ports.interventions;
  }

  /** What has the id, as far as the caller may see it; null: nothing. */
  async find(caller: Principal, id: string): Promise<Node | null> {
    const policy = policyOfStream(id);
    if (policy !== null) {
      const view = await this.#policies.findPolicy(caller, policy);
      return view === null ? null : toPolicy(view);
    }
    const source = this.#sources.list(caller).find(({ name }) => id === `source:${name}`);
    if (source !== undefined) return toSource(source);
    const standing = this.#interventions.list(caller).find((each) => each.id === id);
    return standing === undefined ? null : toIntervention(standing);
  }
}
