import { Args, Context, Resolver, Subscription } from '@nestjs/graphql';
import type { EntryOf, LiveKind } from '#ledger';
import type { EventQueue } from '../../admin/history/event-queue.ts';
import {
  type EventFilter,
  LiveEvents,
  type SourceHold,
  type Subscriber,
} from '../../admin/history/live-events.ts';
import { Roles } from '../../auth/callers/roles.decorator.ts';
import type { RequestContext } from '../server/graphql-options.ts';
import { Decision } from '../types/decision.type.ts';
import { OperatorAction } from '../types/entries.type.ts';
import { toAuditEntry, toDecision, toScalingEvent, toSyncRun } from '../types/entry-forms.ts';
import { ScalingEvent, SyncRun } from '../types/events.type.ts';
import { EventFilterInput } from '../types/filters.args.ts';
import { given } from '../types/given.ts';
import { Hold, toHold } from '../types/source.type.ts';

/** What a subscription knows of its connection. */
export interface SubscriptionContext extends RequestContext {
  /** Closes the connection: it does not read what is sent to it. */
  readonly closeSlow: () => void;
}

const where = {
  type: () => EventFilterInput,
  nullable: true,
  description: 'Which of them are told; left out: all.',
} as const;
const source = {
  type: () => String,
  nullable: true,
  description: 'Only of this repository, as the configuration names it.',
} as const;

/** What happens, as it is recorded. */
@Resolver()
export class LiveResolver {
  readonly #events: LiveEvents;

  constructor(events: LiveEvents) {
    this.#events = events;
  }

  @Roles('viewer')
  @Subscription(() => Decision, {
    description:
      'Decisions, as they are recorded. Those that repeat the one before are folded, and not told.',
    resolve: toDecision,
  })
  decisions(
    @Context() context: SubscriptionContext,
    @Args('where', where) filter?: EventFilterInput | null,
  ): EventQueue<EntryOf<'Decision'>> {
    return this.#watch(context, 'Decision', given(filter ?? {}));
  }

  @Roles('viewer')
  @Subscription(() => ScalingEvent, {
    description: 'Changes of replica counts, as they are recorded.',
    resolve: toScalingEvent,
  })
  scalingEvents(
    @Context() context: SubscriptionContext,
    @Args('where', where) filter?: EventFilterInput | null,
  ): EventQueue<EntryOf<'ScalingEvent'>> {
    return this.#watch(context, 'ScalingEvent', given(filter ?? {}));
  }

  @Roles('viewer')
  @Subscription(() => OperatorAction, {
    description: 'What people and tokens ask for, refusals included, as it is recorded.',
    resolve: toAuditEntry,
  })
  actions(
    @Context() context: SubscriptionContext,
    @Args('where', where) filter?: EventFilterInput | null,
  ): EventQueue<EntryOf<'OperatorAction'>> {
    return this.#watch(context, 'OperatorAction', given(filter ?? {}));
  }

  @Roles('viewer')
  @Subscription(() => SyncRun, {
    description:
      'Syncs that found something new, or failed, as they are recorded; they are of all namespaces at once.',
    resolve: toSyncRun,
  })
  syncs(
    @Context() context: SubscriptionContext,
    @Args('source', source) name?: string | null,
  ): EventQueue<EntryOf<'SyncRun'>> {
    return this.#watch(context, 'SyncRun', given({ source: name }));
  }

  @Roles('viewer')
  @Subscription(() => Hold, {
    description: 'What waits for an approval now, and then each hold that begins or is rejected.',
    resolve: ({ source: name, hold }: SourceHold) => toHold(name, hold),
  })
  holds(
    @Context() context: SubscriptionContext,
    @Args('source', source) name?: string | null,
  ): EventQueue<SourceHold> {
    return this.#events.watchHolds(subscriberOf(context), name ?? undefined);
  }

  #watch<K extends LiveKind>(
    context: SubscriptionContext,
    kind: K,
    filter: EventFilter,
  ): EventQueue<EntryOf<K>> {
    return this.#events.watchEntries(subscriberOf(context), kind, filter);
  }
}

function subscriberOf(context: SubscriptionContext): Subscriber {
  return { caller: () => context.principal, onOverflow: context.closeSlow };
}
