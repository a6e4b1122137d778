import { AdapterError, cutText, type JsonObject } from '#kernel';
import { ownerOf, type Principal } from '../../auth/callers/principal.ts';
import { callerAgain } from '../../auth/gate/caller-again.ts';
import type { ClusterOutage } from '../../cluster/cluster-outage.ts';
import type { Holdings } from '../../coordination/holdings/holdings.ts';
import type { OperatorActionName } from '../requests/operator-action-name.ts';
import { QueryError } from '../requests/query-error.ts';
import { checkArguments } from './check-arguments.ts';
import type { RefusalRecorder } from './refusal-recorder.ts';

/** A reason is a sentence for the readers of the ledger. */
const maximumReasonCharacters = 1_000;

/** An action as it is asked for. */
export interface AskedAction<T> {
  readonly name: OperatorActionName;
  readonly principal: Principal;
  /** The action's own, as the ledger has them. */
  readonly arguments: JsonObject;
  /** Null: the action needs none. */
  readonly reason: string | undefined | null;
  /** It is only asked what the action would do: nothing is recorded, and no reason is needed. */
  readonly isRehearsal?: boolean;
  /** @throws QueryError where the action is refused. */
  readonly check: (principal: Principal) => Promise<T> | T;
}

/** An action that may be carried out. */
export interface AdmittedAction<T> {
  /** As it is now. */
  readonly principal: Principal;
  /** What the check found. */
  readonly checked: T;
  /** Empty where the action needs none. */
  readonly reason: string;
}

export interface ActionGatePorts {
  readonly fences: Pick<Holdings, 'role' | 'isLeader'>;
  readonly refusals: Pick<RefusalRecorder, 'record'>;
  readonly outage: Pick<ClusterOutage, 'find'>;
}

/**
 * Decides whether an action may be carried out, by what its caller may do now and not when it asked; what is refused is
 * recorded with the reason of the refusal.
 */
export class ActionGate {
  readonly #fences: ActionGatePorts['fences'];
  readonly #refusals: ActionGatePorts['refusals'];
  readonly #outage: ActionGatePorts['outage'];

  constructor({ fences, refusals, outage }: ActionGatePorts) {
    this.#fences = fences;
    this.#refusals = refusals;
    this.#outage = outage;
  }

  /** @throws QueryError where the action is refused; ProblemError where nobody can tell whose the token is now. */
  async admit<T>(action: AskedAction<T>): Promise<AdmittedAction<T>> {
    if (!this.#fences.isLeader) throw new QueryError('NotActive', this.#whyNotActive());
    const { isRehearsal = false } = action;
    checkArguments(action.arguments);
    const reason = action.reason === null || isRehearsal ? '' : checkedReason(action.reason);
    try {
      const principal = (await callerAgain(action.principal)) ?? refuseInvalid(action.principal);
      return { principal, reason, checked: await action.check(principal) };
    } catch (error) {
      if (!isRehearsal) await this.recordRefusal(action, error);
      return refuseAtEnd(error);
    }
  }

  /** A process that has not reached its cluster competes for nothing, so that it knows of no other one. */
  #whyNotActive(): string {
    const { role } = this.#fences;
    if (role === 'active')
      return 'this process begins, and has not read what is stored: ask again in a moment';
    const outage = this.#outage.find();
    if (outage !== null)
      return `this process carries nothing out, since it has not reached its cluster since ${outage.since}: ${outage.message}`;
    return role === 'fenced'
      ? 'another process has taken over from this one, and carries policies out'
      : 'this process is standby: it begins, or another one carries policies out; ask again in a moment';
  }

  /**
   * Only of what is answered as a refusal: what fails on our side is none, nor is the question for the digest to confirm,
   * which is answered with the effect as a dry run is.
   */
  async recordRefusal(
    {
      name,
      principal,
      arguments: given,
      reason,
    }: Pick<AskedAction<unknown>, 'name' | 'principal' | 'arguments' | 'reason'>,
    error: unknown,
  ): Promise<void> {
    if (!(error instanceof QueryError) || error.code === 'ConfirmationRequired') return;
    await this.#refusals.record({
      actor: principal.name,
      owner: ownerOf(principal),
      action: name,
      arguments: given,
      reason: error.message,
      givenReason: givenReasonOf(reason),
    });
  }
}

/** A process that ends is no error of ours. */
export function refuseAtEnd(error: unknown): never {
  if (error instanceof AdapterError && error.code === 'Closed')
    throw new QueryError('NotActive', error.message);
  throw error;
}

/** As far as it is one; null: nothing was said. */
export function givenReasonOf(reason: unknown): string | null {
  const words = typeof reason === 'string' ? cutText(reason.trim(), maximumReasonCharacters) : '';
  return words === '' ? null : words;
}

function checkedReason(reason = ''): string {
  const { length } = reason.trim();
  const isSeen = seen.test(reason);
  if (isSeen && length <= maximumReasonCharacters) return reason.trim();
  const bound = `1 to ${maximumReasonCharacters} characters`;
  const given = length > 0 && !isSeen ? 'none that is seen' : length;
  throw new QueryError('ReasonRequired', `a reason of ${bound} is required, this one has ${given}`);
}

/** A character with a form of its own: a reason of others would look as if none had been given. */
const seen = /[^\s\p{C}\p{Z}\p{M}\p{Default_Ignorable_Code_Point}\u2800]/u;

function refuseInvalid({ name }: Principal): never {
  throw new QueryError('Forbidden', `the token of ${name} is no longer valid; nothing was done`);
}
