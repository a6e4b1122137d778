import type { OperatorRequest, Requester, SaveSource, SourceTurn } from '#git-sync';
import { AdapterError, type JsonObject } from '#kernel';
import type { LedgerWriter, StoredSource } from '#ledger';
import type { ClockPort } from '#reconciliation';
import { ownerOf, type Principal, type Role } from '../../auth/callers/principal.ts';
import type { SourceOperations } from '../../git-sync/source-operations.ts';
import { type ActionGate, type AdmittedAction, refuseAtEnd } from '../access/action-gate.ts';
import { requireConfirmation } from '../access/require-rights.ts';
import { sourceActionEffect, type SourceEffect } from '../effects/source-effects.ts';
import {
  type ActionEffect,
  type Answer,
  recordedEffect,
  type Rehearsable,
} from '../requests/action-effect.ts';
import type { OperatorActionName } from '../requests/operator-action-name.ts';
import { QueryError } from '../requests/query-error.ts';
import { recordAccepted } from './record-accepted.ts';

/** Who asks, and for what. */
export interface ActionRequest extends Rehearsable {
  readonly principal: Principal;
  readonly source: string;
  /** Mandatory for everything but a sync and a dry run. */
  readonly reason?: string | null | undefined;
}

/** An action on a source as it is asked for. */
export interface SourceAction {
  readonly name: OperatorActionName;
  readonly role: Role;
  readonly request: ActionRequest;
  readonly details: JsonObject;
  /** True by default. */
  readonly needsReason?: boolean;
  /** Whether the caller may, and what it is about is there. @throws QueryError where the action is refused. */
  readonly require: (principal: Principal) => Promise<SourceEffect> | SourceEffect;
  /** Where the effect takes more than that to tell, and a turn of the source. @throws QueryError */
  readonly rehearse?: (turn: Rehearsing, by: OperatorRequest) => Promise<SourceEffect>;
}

/** An action that is carried out: by whom it is, and what records it with what it decides about the source. */
export interface RecordedAction {
  readonly by: OperatorRequest;
  readonly save: SaveSource;
}

/** Carries an action out, in a turn of its source. */
export type Run<T> = (turn: SourceTurn, action: RecordedAction) => Promise<T>;

/** What tells of a rollback, of what ends one, and of a look what it would do. */
export type Rehearsing = Pick<SourceTurn, 'rehearseRollBack' | 'rehearseResume' | 'rehearseSync'>;

interface SourceTurnsPorts {
  readonly sources: Pick<SourceOperations, 'inTurn' | 'rehearseRollBack' | 'rehearseResume' | 'rehearseSync'>;
  readonly writer: LedgerWriter;
  readonly gate: ActionGate;
  readonly clock: ClockPort;
}

/**
 * Carries actions on sources out: checked, recorded and done in one turn of the source. Neither a look nor another action
 * changes it between, and the entry is stored in one transaction with what was decided, so what is recorded as accepted is
 * done: by this process, or by the first look of the next one.
 */
export class SourceTurns {
  readonly #ports: SourceTurnsPorts;
  /** The last dry run that takes a turn, by source. */
  readonly #rehearsals = new Map<string, Promise<unknown>>();

  constructor(ports: SourceTurnsPorts) {
    this.#ports = ports;
  }

  /**
   * Checked, then recorded together with what is decided, then carried out, in one turn; what is refused is recorded with the reason of the refusal. Who
   * may not is told before the turn, and waits for nothing.
   *
   * @throws QueryError where the action is refused; `SourceBusy` where its turn does not come in time
   */
  async carryOut<T>(action: SourceAction, run: Run<T>): Promise<Answer<T>> {
    const { source, dryRun } = action.request;
    try {
      if (dryRun === true) {
        const { checked: effect } = await this.#admit(action, this.#sourcesOf(source));
        return { result: null, effect };
      }
      await this.#admit({ ...action, request: { ...action.request, confirm: null } }, null);
      return await this.#ports.sources.inTurn(source, async (turn) => {
        const admitted = await this.#admit(action, turn);
        const save: SaveSource = (state) => this.#recordAccepted(action, admitted, [state]);
        return { result: await run(turn, { by: requestOf(admitted), save }), effect: admitted.checked };
      });
    } catch (error) {
      return refuseBusy(error);
    }
  }

  /**
   * An action that decides nothing, and needs no turn: checked, then recorded, then carried out; where the process ends
   * between, what begins next does it in any case. What it would do is looked
   * at where it is asked for, or confirmed.
   *
   * @throws QueryError where the action is refused; `SourceBusy` where a turn to look does not come in time
   */
  async carryOutAtOnce<T>(action: SourceAction, run: () => Promise<T>): Promise<Answer<T>> {
    const { source, dryRun, confirm = null } = action.request;
    const isLookedAt = dryRun === true || confirm !== null;
    const admitted = await this.#admit(action, isLookedAt ? this.#sourcesOf(source) : null).catch(refuseBusy);
    const effect = admitted.checked;
    if (dryRun === true) return { result: null, effect };
    await this.#recordAccepted(action, admitted);
    return { result: await run().catch(refuseAtEnd), effect };
  }

  /** Null: what takes a turn to tell is left out. */
  #admit(action: SourceAction, turn: Rehearsing | null): Promise<AdmittedAction<ActionEffect>> {
    const { name, request, details, needsReason = true, require, rehearse } = action;
    const { principal, dryRun, confirm = null } = request;
    const isRehearsal = dryRun === true;
    const asked = { source: request.source, ...details };
    const reason = needsReason ? (request.reason ?? undefined) : null;
    return this.#ports.gate.admit({
      ...{ name, principal, arguments: asked, reason, isRehearsal },
      check: async (caller) => {
        const required = await require(caller);
        const by = { ...requesterOf(caller), reason: request.reason ?? '' };
        const found = rehearse === undefined || turn === null ? required : await rehearse(turn, by);
        const effect = sourceActionEffect(action, found, asked);
        if (!isRehearsal) requireConfirmation(effect, confirm);
        return effect;
      },
    });
  }

  /** Each question has a turn of its own, and one at a time asks for it: what is to be done waits for no more than two. */
  #sourcesOf(source: string): Rehearsing {
    const { sources } = this.#ports;
    const inLine = <T>(rehearse: () => Promise<T>): Promise<T> => {
      const rehearsal = (this.#rehearsals.get(source) ?? Promise.resolve()).then(rehearse);
      this.#rehearsals.set(
        source,
        rehearsal.catch(() => undefined),
      );
      return rehearsal;
    };
    return {
      rehearseRollBack: (commit, request) => inLine(() => sources.rehearseRollBack(source, commit, request)),
      rehearseResume: (request) => inLine(() => sources.rehearseResume(source, request)),
      rehearseSync: () => inLine(() => sources.rehearseSync(source)),
    };
  }

  async #recordAccepted(
    { name, request, details }: SourceAction,
    { principal, reason, checked }: AdmittedAction<ActionEffect>,
    sources: readonly StoredSource[] = [],
  ): Promise<void> {
    const accepted = {
      actor: principal.name,
      action: name,
      reason: reason === '' ? null : reason,
      arguments: { source: request.source, ...details },
      effect: recordedEffect(checked),
    };
    await recordAccepted(this.#ports, accepted, { sources });
  }
}

function requestOf({ principal, reason }: AdmittedAction<unknown>): OperatorRequest {
  return { ...requesterOf(principal), reason };
}

/** Beyond its wait for a turn an action was not begun. */
function refuseBusy(error: unknown): never {
  if (error instanceof AdapterError && error.code === 'TurnTimeout')
    throw new QueryError('SourceBusy', error.message);
  return refuseAtEnd(error);
}

/** The person, whichever of its tokens it comes with. */
function requesterOf(principal: Principal): Requester {
  const { email, forgeLogin } = principal;
  return {
    by: ownerOf(principal),
    ...(email === undefined ? {} : { email }),
    ...(forgeLogin === undefined ? {} : { forgeLogin }),
  };
}
