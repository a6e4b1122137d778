import { useState } from 'react';
import { useAnswer } from '../../api/use-answer.ts';
import type { WaterfallProps } from '../../components/charts/waterfall.tsx';
import { policy as texts } from '../../messages/policy.ts';
import type { BlamePartsFragment, MetricPartsFragment } from '../decision/decision.generated.ts';
import { PolicyPassDecisionDocument, type PolicyPassDecisionQuery } from './policy.generated.ts';
import type { PolicyOfPage } from './policy-head.tsx';

/** What was decided last for a policy, as far as it is known. */
export interface Decided {
  /** Of the entry that records it; null: none does yet. */
  readonly id: string | null;
  /** That it comes from memory, and what that means; null: it is the latest that is recorded. */
  readonly note: string | null;
  readonly decision: Pick<WaterfallProps, 'currentReplicas' | 'desiredReplicas' | 'steps'> & {
    readonly time: string;
    readonly reason: string;
    readonly metrics: readonly MetricPartsFragment[];
  };
  /** Null: who allowed it is not known. */
  readonly blame: BlamePartsFragment | null;
}

/**
 * The latest decision of a policy. While the database is away, what its latest pass decided, of which the controller that
 * runs it knows; else the one that was the latest before. Null: nothing was decided, or nothing is known of it.
 */
export function useDecided(policy: PolicyOfPage, isPart: boolean): Decided | null {
  const { id, namespace, name, latestDecision } = policy;
  const [before, keep] = useState({ id, latestDecision });
  if (id !== before.id || (latestDecision !== null && latestDecision !== before.latestDecision))
    keep({ id, latestDecision });
  const isUnknown = isPart && latestDecision === null;
  const pass = useAnswer(
    PolicyPassDecisionDocument,
    { namespace, name },
    { everySeconds: 5, isPaused: !isUnknown, isKept: false },
  );
  if (!isUnknown) return recorded(latestDecision, null);
  return passed(pass.data) ?? recorded(before.latestDecision, texts.earlierDecision);
}

function passed(data: PolicyPassDecisionQuery | undefined): Decided | null {
  const decision = data?.policy?.status?.decision ?? null;
  if (decision === null) return null;
  const { recordedAs } = decision;
  return { id: recordedAs, note: texts.passDecision(recordedAs !== null), decision, blame: null };
}

function recorded(decision: PolicyOfPage['latestDecision'], note: string | null): Decided | null {
  return decision === null ? null : { id: decision.id, note, decision, blame: decision.blame };
}
