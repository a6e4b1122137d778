import type { JsonObject } from '#kernel';
import { adminStream, type EntryCursor, type LedgerPort, type OperatorActionPayload } from '#ledger';
import { mayAct, type Principal } from '../../auth/callers/principal.ts';
import type { SourceAccess } from '../sources/source-access.ts';

/** Actions per read, and reads: what another operator did just now is among so many, also behind a flood of refusals. */
const actionsPerRead = 100;
const maximumReads = 10;

/** An action that was carried out before, as the next operator sees it. */
export type EarlierAction = Pick<OperatorActionPayload, 'actor' | 'action' | 'reason'> & {
  /** RFC 3339. */
  readonly time: string;
};

/** Which action is looked for. */
export interface EarlierActionQuery {
  readonly actions: readonly string[];
  /** Those that it must have had. */
  readonly arguments: JsonObject;
}

/** Finds out what others did before: the answer to one who comes second. */
export class EarlierActions {
  readonly #ledger: Pick<LedgerPort, 'entries'>;
  readonly #access: Pick<SourceAccess, 'isWholeVisible'>;

  constructor(ports: {
    readonly ledger: Pick<LedgerPort, 'entries'>;
    readonly access: Pick<SourceAccess, 'isWholeVisible'>;
  }) {
    this.#ledger = ports.ledger;
    this.#access = ports.access;
  }

  /**
   * The newest of those actions that was carried out with all of these arguments, as far as the caller may see it; null:
   * none of the latest.
   */
  async find(
    caller: Principal,
    { actions, arguments: wanted }: EarlierActionQuery,
  ): Promise<EarlierAction | null> {
    let after: EntryCursor | undefined;
    for (let read = 0; read < maximumReads; read += 1) {
      const { items, hasMore } = await this.#ledger.entries({
        ...{ kinds: ['OperatorAction'], stream: adminStream, order: 'NewestFirst', limit: actionsPerRead },
        ...(after === undefined ? {} : { after }),
      });
      for (const { entry } of items) {
        if (entry.kind !== 'OperatorAction' || !isWanted(entry.payload, actions, wanted)) continue;
        const { actor, action, reason } = entry.payload;
        return this.#isVisible(caller, entry.payload) ? { actor, action, reason, time: entry.time } : null;
      }
      after = items.at(-1)?.cursor;
      if (!hasMore || after === undefined) return null;
    }
    return null;
  }

  /** The same in words, with what it is the answer to before it. */
  async describe(caller: Principal, sentence: string, query: EarlierActionQuery): Promise<string> {
    const found = await this.find(caller, query);
    if (found === null) return sentence;
    const reason = found.reason === null ? '' : ` (${found.reason})`;
    return `${sentence}: ${found.actor} did ${found.action} at ${found.time}${reason}`;
  }

  #isVisible(caller: Principal, { arguments: given, effect }: OperatorActionPayload): boolean {
    const { policy, namespace, source } = given;
    if (typeof policy === 'string') return mayAct(caller, 'viewer', namespaceOf(policy));
    if (typeof namespace === 'string') return mayAct(caller, 'viewer', namespace);
    if (typeof source === 'string') return this.#access.isWholeVisible(caller, source);
    return mayAct(caller, 'viewer', null) || areAllVisible(caller, effect);
  }
}

function isWanted(
  { action, outcome, arguments: given }: OperatorActionPayload,
  actions: readonly string[],
  wanted: JsonObject,
): boolean {
  if (outcome === 'Refused' || !actions.includes(action)) return false;
  return Object.entries(wanted).every(([name, value]) => (given[name] ?? null) === value);
}

/** Of an action that names no namespace, such as the end of an intervention by its id, its effect says whom it was about. */
function areAllVisible(caller: Principal, effect: JsonObject | undefined): boolean {
  const policies = effect?.['policies'];
  if (!Array.isArray(policies) || policies.length === 0 || policies.length !== effect?.['total'])
    return false;
  return policies.every((each) => {
    const { policy } = each as { readonly policy?: { readonly namespace?: unknown } };
    return typeof policy?.namespace === 'string' && mayAct(caller, 'viewer', policy.namespace);
  });
}

function namespaceOf(policy: string): string {
  return policy.slice(0, policy.indexOf('/'));
}
