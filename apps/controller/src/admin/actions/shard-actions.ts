import { maximumShardCount } from '#coordination';
import { numberRanges } from '#kernel';
import { shardOfScope } from '#ledger';
import type { ClockPort } from '#reconciliation';
import type { Principal } from '../../auth/callers/principal.ts';
import type { Leadership } from '../../coordination/shards/leadership.ts';
import type { ShardCountChange, ShardCountOutcome } from '../../coordination/shards/shard-count-change.ts';
import type { Shards } from '../../coordination/shards/shards.ts';
import { type ActionGate, type AskedAction, refuseAtEnd } from '../access/action-gate.ts';
import { requireConfirmation } from '../access/require-rights.ts';
import { requireRole } from '../access/require-role.ts';
import { effectOf } from '../effects/policy-effects.ts';
import {
  type ActionEffect,
  type Answer,
  recordedEffect,
  type Rehearsable,
} from '../requests/action-effect.ts';
import { QueryError } from '../requests/query-error.ts';
import { acceptedDraft } from './record-accepted.ts';

/** Who asks for another number of shards, and why. */
export interface ShardCountRequest extends Rehearsable {
  readonly principal: Principal;
  readonly count: number;
  readonly reason?: string | null | undefined;
}

/** Over how many shards the policies are spread. */
export interface ShardCounts {
  readonly count: number;
  readonly before: number;
}

interface ShardActionsPorts {
  readonly shards: Pick<Shards, 'readLayout'>;
  readonly change: Pick<ShardCountChange, 'to'>;
  readonly leadership: Pick<Leadership, 'mode' | 'reason'>;
  readonly gate: ActionGate;
  readonly clock: Pick<ClockPort, 'now'>;
}

/** Changes over how many shards the policies are spread. */
export class ShardActions {
  readonly #ports: ShardActionsPorts;

  constructor(ports: ShardActionsPorts) {
    this.#ports = ports;
  }

  /** @throws QueryError */
  async changeCount(request: ShardCountRequest): Promise<Answer<ShardCounts>> {
    const { principal, count, reason } = request;
    const isRehearsal = request.dryRun === true;
    const asked: AskedAction<{ readonly effect: ActionEffect; readonly before: number }> = {
      name: 'ChangeShardCount',
      principal,
      arguments: { shardCount: count },
      reason: reason ?? undefined,
      isRehearsal,
      check: async (caller) => {
        requireRole(caller, 'admin', null);
        const before = await this.#requireChange(count);
        const effect = effectOfChange(before, count);
        if (!isRehearsal) requireConfirmation(effect, request.confirm ?? null);
        return { effect, before };
      },
    };
    const { gate, clock } = this.#ports;
    const { checked, reason: why } = await gate.admit(asked);
    const { effect, before } = checked;
    if (isRehearsal) return { result: null, effect };
    const record = acceptedDraft(
      {
        actor: principal.name,
        action: asked.name,
        reason: why,
        arguments: { shardCount: count },
        effect: recordedEffect(effect),
      },
      clock.now(),
    );
    const outcome = await this.#ports.change.to(count, record).catch(refuseAtEnd);
    if (outcome.kind === 'Changed') return { result: { count, before }, effect };
    const error = new QueryError('ShardsHeld', whyNotChanged(outcome));
    await gate.recordRefusal(asked, error);
    throw error;
  }

  /** @returns how many there are */
  async #requireChange(count: number): Promise<number> {
    const { leadership, shards } = this.#ports;
    if (!Number.isInteger(count) || count < 1 || count > maximumShardCount)
      throw new QueryError('BadArgument', `count is ${count}; it is 1 to ${maximumShardCount}`);
    if (leadership.mode === 'OneProcess') {
      const why = leadership.reason ?? '';
      throw new QueryError(
        'NotShared',
        `one process carries all shards out (${why}), however many there are; nothing would change`,
      );
    }
    const { shardCount } = await shards.readLayout();
    if (shardCount !== count) return shardCount;
    throw new QueryError('BadArgument', `there are ${count} shards already`);
  }
}

function effectOfChange(before: number, count: number): ActionEffect {
  return effectOf(
    {
      action: 'ChangeShardCount',
      summary: `the policies are spread over ${count} shards in place of ${before}; for some seconds no policy is decided`,
      requires: { role: 'admin', confirm: true, force: false },
      problems: [],
      standing: [],
      effects: [],
      until: null,
      changes: [],
      changed: 0,
    },
    { before, count },
  );
}

function whyNotChanged(outcome: Exclude<ShardCountOutcome, { readonly kind: 'Changed' }>): string {
  if (outcome.kind === 'UnderWay')
    return 'the number of shards is being changed already, and this has changed nothing; ask again in some seconds';
  const held = numberRanges(outcome.scopes.flatMap((scope) => shardOfScope(scope) ?? []));
  return `${held === '' ? 'shards' : `shards ${held}`} were not given up in time, and all is as before; a replica that is silent is taken over from within seconds, then ask again`;
}
