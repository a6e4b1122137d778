import type { JsonObject } from '#kernel';
import type { LedgerPort, OperatorActionPayload } from '#ledger';
import { mayAct, type Principal } from '../auth/principal.ts';
import type { SourceAccess } from './source-access.ts';

/** As many as are looked through: what another operator did just now is among them. */
const maximumLookedThrough = 100;

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
    const query = {
      kinds: ['OperatorAction'],
      order: 'NewestFirst',
      limit: maximumLookedThrough,
    } as const;
    const { items } = await this.#ledger.entries(query);
    for (const { entry } of items) {
      if (entry.kind !== 'OperatorAction') continue;
      const { actor, action, outcome, reason, arguments: given } = entry.payload;
      const isSame = Object.entries(wanted).every(([name, value]) => (given[name] ?? null) === value);
      if (outcome === 'Refused' || !actions.includes(action) || !isSame) continue;
      return this.#isVisible(caller, given) ? { actor, action, reason, time: entry.time } : null;
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

  #isVisible(caller: Principal, { policy, namespace, source }: JsonObject): boolean {
    if (typeof policy === 'string') return mayAct(caller, 'viewer', policy.slice(0, policy.indexOf('/')));
    if (typeof namespace === 'string') return mayAct(caller, 'viewer', namespace);
    return typeof source === 'string' ? this.#access.isWholeVisible(caller, source) : true;
  }
}
