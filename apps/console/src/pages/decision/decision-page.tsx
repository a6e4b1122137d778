import { type ReactElement, Suspense } from 'react';
import { Link, useParams } from 'react-router';
import { conditionMessage } from '#decision/condition-message';
import { seldomSeconds, useAnswer } from '../../api/use-answer.ts';
import { Waterfall } from '../../components/charts/waterfall.tsx';
import { Panel } from '../../components/frames/panel.tsx';
import { EmptyState } from '../../components/states/empty-state.tsx';
import { lazyPart } from '../../components/states/lazy-part.tsx';
import { Timestamp } from '../../components/time/timestamp.tsx';
import { decision as texts } from '../../messages/decision.ts';
import { links } from '../../navigation/links.ts';
import { BlameView } from './blame-view.tsx';
import { boundsOf } from './bounds-of.ts';
import { DecisionPageDocument, type DecisionPageQuery } from './decision.generated.ts';
import { MetricsView } from './metrics-view.tsx';
import { Neighbours } from './neighbours.tsx';
import { StoodThen } from './stood-then.tsx';

import './decision.css';

const Evaluation = lazyPart(() => import('../../evaluation/decision-evaluation.tsx'));

/** One decision: how its count came about, from which values and pods, and who allowed it. */
export default function DecisionPage(): ReactElement {
  const { id = '' } = useParams();
  // What is recorded never changes, but for what is written because of it.
  const answer = useAnswer(DecisionPageDocument, { id }, { everySeconds: seldomSeconds });
  const query = { document: DecisionPageDocument, variables: { id } };
  const decision = answer.data?.decision;
  if (decision === undefined) {
    return (
      <>
        <h1>{texts.title}</h1>
        <Panel title={texts.waterfall} answer={answer} query={query}>
          {null}
        </Panel>
      </>
    );
  }
  if (decision === null) {
    return (
      <EmptyState isPage title={texts.missing.title}>
        {texts.missing.text}
        <Link to={links.fleet}>{texts.missing.fleet}</Link>
      </EmptyState>
    );
  }
  return (
    <>
      <Head decision={decision} />
      <div className="decision-columns">
        <div className="decision-column">
          <Panel title={texts.waterfall} answer={answer} query={query}>
            <Waterfall {...decision} bounds={boundsOf(decision.blame?.version?.document)} />
          </Panel>
          <Panel title={texts.metrics.title} query={query}>
            <MetricsView metrics={decision.metrics} />
          </Panel>
          <Aside decision={decision} />
        </div>
        <div className="decision-column">
          <Panel title={texts.blame.title} query={query}>
            <BlameView blame={decision.blame} />
            <StoodThen interventions={decision.blame?.interventions ?? []} />
          </Panel>
          <Neighbours decision={decision} />
        </div>
      </div>
      <Suspense fallback={<div className="skeleton" role="status" aria-label={texts.evaluating} />}>
        <Evaluation key={id} id={id} />
      </Suspense>
    </>
  );
}

type DecisionOfPage = NonNullable<DecisionPageQuery['decision']>;

interface DecisionProps {
  readonly decision: DecisionOfPage;
}

function Head({ decision }: DecisionProps): ReactElement {
  const { policy, currentReplicas, desiredReplicas, action, reason, time } = decision;
  const isMove = currentReplicas !== desiredReplicas;
  return (
    <header className="decision-head">
      <p className="decision-count">
        {isMove ? <span className="decision-from">{currentReplicas ?? texts.unknown} → </span> : null}
        <strong>{desiredReplicas ?? texts.unknown}</strong> <span>{texts.replicas(desiredReplicas)}</span>
      </p>
      <div>
        <h1>
          <Link to={links.policy(policy)}>
            {policy.namespace}/{policy.name}
          </Link>{' '}
          {texts.actions[action]}
        </h1>
        <p>{reason}</p>
        <p className="quiet">
          <Timestamp time={time} /> · <Timestamp time={time} form="ago" />
        </p>
      </div>
    </header>
  );
}

/** Conditions, selection, and where this decision is in the ledger. */
function Aside({ decision }: DecisionProps): ReactElement {
  const { id, hash, conditions, departures, selection } = decision;
  return (
    <Panel title={texts.conditions} query={{ document: DecisionPageDocument, variables: { id } }}>
      {selection.fallback === null ? null : (
        <p className="problem">
          <strong>{texts.fallback}</strong> {selection.fallback.message}
        </p>
      )}
      <ul className="decision-conditions">
        {conditions.map(({ type, status, reason, message }) => (
          <li key={type}>
            <strong>{type}</strong> <span>{status}</span>{' '}
            <span className="quiet">{conditionMessage({ reason, message: message ?? reason })}</span>
          </li>
        ))}
      </ul>
      {departures.length === 0 ? null : (
        <>
          <h3>{texts.departures}</h3>
          <ul className="decision-departures">
            {departures.map((departure) => (
              <li key={departure}>{departure}</li>
            ))}
          </ul>
        </>
      )}
      <p className="quiet decision-identity">
        <Link to={links.decision(id)}>{texts.link}</Link> · <code>{id}</code> · {texts.hash}{' '}
        <code title={hash}>{hash.slice(0, 16)}</code>
      </p>
    </Panel>
  );
}
