import type { ReactElement } from 'react';
import { Link } from 'react-router';
import { ReplicaBar } from '../../components/charts/replica-bar.tsx';
import { PassTime } from '../../components/facts/pass-time.tsx';
import { StateBadge } from '../../components/states/state-badge.tsx';
import { sortedStates } from '../../components/states/state-severity.ts';
import { Timestamp } from '../../components/time/timestamp.tsx';
import { Sentence } from '../../components/words/sentence.tsx';
import { policy as texts } from '../../messages/policy.ts';
import { restOf, stateTexts } from '../../messages/states.ts';
import { links } from '../../navigation/links.ts';
import type { PolicyPageQuery } from './policy.generated.ts';
import { ForbiddenPolicyActions, PolicyActions } from './policy-actions.tsx';
import { type StateDetails, stateDetails } from './state-details.ts';

/** A policy as its page asks for it. */
export type PolicyOfPage = NonNullable<PolicyPageQuery['policy']>;

interface HeadProps {
  readonly policy: PolicyOfPage;
  readonly onDone: () => void;
}

/** The count, where it stands between the bounds, and what is said of the policy. */
export function PolicyHead({ policy, onDone }: HeadProps): ReactElement {
  const { namespace, name, origin, target, intervalSeconds, inForce, status } = policy;
  const now = status?.statusReplicas ?? null;
  const wanted = status?.replicas ?? null;
  const acted = [{ namespace, name, source: origin.source }];
  return (
    <header className="policy-head">
      <div className="policy-count">
        <strong>{now ?? texts.unknownCount}</strong>
        <span className="quiet">
          {texts.now(now)}
          {wanted === null || wanted === now ? '' : `, ${texts.wanted(wanted)}`}
          <br />
          {texts.bounds(inForce.minReplicas, inForce.maxReplicas)}
          <OwnBounds policy={policy} />
        </span>
        <ReplicaBar
          minimum={inForce.minReplicas}
          maximum={inForce.maxReplicas}
          now={now}
          desired={wanted}
          width={220}
        />
      </div>
      <div className="policy-title">
        <h1>
          <span className="quiet">{namespace}/</span>
          <bdi>{name}</bdi>
        </h1>
        <p className="quiet">
          {texts.scales(target.kind, target.name)} {texts.every(intervalSeconds)} ·{' '}
          <Link to={links.source(origin.source)}>{origin.source}</Link>{' '}
          <code>{texts.spec.from(origin.file, origin.line)}</code>
        </p>
        <States policy={policy} />
      </div>
      <PolicyActions policies={acted} onDone={onDone} />
      <ForbiddenPolicyActions policies={acted} />
    </header>
  );
}

/** Those of its document, where a schedule or an override has replaced them. */
function OwnBounds({
  policy: { inForce, minReplicas, maxReplicas },
}: Pick<HeadProps, 'policy'>): ReactElement | null {
  if (inForce.minReplicas === minReplicas && inForce.maxReplicas === maxReplicas) return null;
  return (
    <>
      <br />
      {texts.ownBounds(minReplicas, maxReplicas)}
    </>
  );
}

/** Each state with its sentence, and what the latest pass said. */
function States({ policy }: Pick<HeadProps, 'policy'>): ReactElement {
  const { states, status } = policy;
  return (
    <ul className="policy-states">
      {sortedStates(states).map((state) => (
        <li key={state}>
          <StateBadge state={state} /> {stateTexts[state].sentence}
          <Details of={stateDetails(state, policy)} />
        </li>
      ))}
      {states.length === 0 && status?.outcome === 'Done' ? (
        <li>
          <span className="badge">{restOf(status).word}</span> {restOf(status).sentence}
        </li>
      ) : null}
      <li className="quiet">
        {status === null ? (
          texts.notEvaluated
        ) : (
          <>
            <Sentence text={status.message} /> · <PassTime {...status} />
          </>
        )}
      </li>
    </ul>
  );
}

/** The other autoscaler or manager, and since when it is so. */
function Details({ of: { message, since } }: { readonly of: StateDetails }): ReactElement {
  return (
    <>
      {message === null ? null : (
        <>
          {' '}
          <bdi>{message}</bdi>
        </>
      )}
      {since === null ? null : (
        <span className="quiet">
          {' '}
          {texts.since} <Timestamp time={since} form="ago" />
        </span>
      )}
    </>
  );
}
