import type { ReactElement } from 'react';
import { Link } from 'react-router';
import { ReplicaBar } from '../../components/replica-bar.tsx';
import { SeverityShape, StateBadge } from '../../components/state-badge.tsx';
import { sortedStates } from '../../components/state-severity.ts';
import { Timestamp } from '../../components/timestamp.tsx';
import { policy as texts } from '../../messages/policy.ts';
import { stateTexts, steady, waiting } from '../../messages/states.ts';
import { links } from '../../navigation/links.ts';
import type { PolicyPageQuery } from './policy.generated.ts';
import { PolicyActions } from './policy-actions.tsx';

/** A policy as its page asks for it. */
export type PolicyOfPage = NonNullable<PolicyPageQuery['policy']>;

interface HeadProps {
  readonly policy: PolicyOfPage;
  readonly onDone: () => void;
}

/** The count, where it stands between the bounds, and what is said of the policy. */
export function PolicyHead({ policy, onDone }: HeadProps): ReactElement {
  const { namespace, name, origin, target, intervalSeconds, minReplicas, maxReplicas, status } = policy;
  const now = status?.statusReplicas ?? null;
  const wanted = status?.replicas ?? null;
  return (
    <header className="policy-head">
      <div className="policy-count">
        <strong>{now ?? texts.unknownCount}</strong>
        <span className="quiet">
          {texts.now(now)}
          {wanted === null || wanted === now ? '' : `, ${texts.wanted(wanted)}`}
          <br />
          {texts.bounds(minReplicas, maxReplicas)}
        </span>
        <ReplicaBar minimum={minReplicas} maximum={maxReplicas} now={now} desired={wanted} width={220} />
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
      <PolicyActions policies={[{ namespace, name, source: origin.source }]} onDone={onDone} />
    </header>
  );
}

/** Each state with its sentence, and what the latest pass said. */
function States({ policy: { states, status } }: Pick<HeadProps, 'policy'>): ReactElement {
  return (
    <ul className="policy-states">
      {sortedStates(states).map((state) => (
        <li key={state}>
          <StateBadge state={state} /> {stateTexts[state].sentence}
        </li>
      ))}
      {status?.outcome === 'Waiting' && !states.includes('Failing') ? (
        <li>
          <span className="badge" data-severity="attention">
            <SeverityShape severity="attention" />
            {waiting.word}
          </span>{' '}
          {waiting.sentence}
        </li>
      ) : null}
      {states.length === 0 && status?.outcome === 'Done' ? (
        <li>
          <span className="badge">{steady.word}</span> {steady.sentence}
        </li>
      ) : null}
      <li className="quiet">
        {status === null ? (
          texts.notEvaluated
        ) : (
          <>
            {status.message} · <Timestamp time={status.time} form="ago" />
          </>
        )}
      </li>
    </ul>
  );
}
