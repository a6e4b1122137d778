import { type ReactElement, type ReactNode, useEffect, useState } from 'react';
import { Link, useParams } from 'react-router';
import { type Answer, seldomSeconds, useAnswer } from '../../api/use-answer.ts';
import { useAskingAgain } from '../../api/use-events.ts';
import { Waterfall } from '../../components/charts/waterfall.tsx';
import { Panel } from '../../components/frames/panel.tsx';
import { EmptyState } from '../../components/states/empty-state.tsx';
import { Timestamp } from '../../components/time/timestamp.tsx';
import { decision as decisionTexts } from '../../messages/decision.ts';
import { policy as texts } from '../../messages/policy.ts';
import { links } from '../../navigation/links.ts';
import { notePlaces } from '../../navigation/places.ts';
import { BlameView } from '../decision/blame-view.tsx';
import { MetricsView } from '../decision/metrics-view.tsx';
import { SourceSyncsDocument } from '../source/source.generated.ts';
import { PolicyEffectiveValuesDocument } from './effective-values.generated.ts';
import { EffectiveValues } from './effective-values.tsx';
import {
  PolicyDecisionsDocument,
  PolicyHistoryDocument,
  type PolicyHistoryQuery,
  PolicyPageDocument,
  type PolicyPageQuery,
  PolicyScalingsDocument,
} from './policy.generated.ts';
import { PolicyChart } from './policy-chart.tsx';
import { PolicyHead, type PolicyOfPage } from './policy-head.tsx';
import { Scalings } from './scalings.tsx';
import { Standing } from './standing.tsx';
import { type Decided, useDecided } from './use-decided.ts';
import { Versions } from './versions.tsx';

import '../decision/decision.css';
import './policy.css';

/** One policy: where its count stands, why, who allowed it, and what can be done about it. */
export default function PolicyPage(): ReactElement {
  const { namespace = '', name = '' } = useParams();
  const variables = { namespace, name };
  const answer = useAnswer(PolicyPageDocument, variables, { everySeconds: 5, takesParts: true });
  const query = { document: PolicyPageDocument, variables };
  useAskingAgain(PolicyDecisionsDocument, { policy: variables }, answer.askAgain);
  const policy = answer.data?.policy;
  const isInForce = policy !== undefined && policy !== null;
  useEffect(() => {
    const title = `${namespace}/${name}`;
    if (isInForce) notePlaces('this policy', () => [{ title, opens: links.policy({ namespace, name }) }]);
  }, [isInForce, namespace, name]);
  if (policy === undefined) {
    return (
      <>
        <h1>
          {namespace}/{name}
        </h1>
        <Panel title={texts.overview} answer={answer} query={query}>
          {null}
        </Panel>
      </>
    );
  }
  if (policy === null) {
    return (
      <EmptyState isPage title={texts.missing.title}>
        {texts.missing.text(`${namespace}/${name}`)}
        <Link to={links.auditOf('PolicyChange', { namespace, name })}>{texts.missing.audit}</Link>
        <Link to={links.fleet}>{texts.missing.fleet}</Link>
      </EmptyState>
    );
  }
  return (
    <>
      <PolicyHead policy={policy} onDone={answer.refresh} />
      <Standing policy={policy} onDone={answer.refresh} />
      <Panels policy={policy} answer={answer} />
    </>
  );
}

function OpenDecision({
  decision: { id, time },
}: {
  readonly decision: { readonly id: string; readonly time: string };
}): ReactElement {
  return (
    <>
      <Link to={links.decision(id)}>{texts.open}</Link>
      <span className="quiet">
        <Timestamp time={time} form="ago" />
      </span>
    </>
  );
}

/** What repeats a decision is not recorded anew: what it was made from may be old. */
function Observed({ time }: { readonly time: string }): ReactElement {
  return (
    <span className="quiet">
      {texts.observed} <Timestamp time={time} form="ago" />
    </span>
  );
}

/** Why the count is what it is, and beside it who allowed that. What changes seldom is asked for by itself. */
function Panels({ policy, answer }: PanelsProps): ReactElement {
  const { namespace, name, origin } = policy;
  const decided = useDecided(policy, answer.isPart);
  const metrics = decided?.decision.metrics ?? [];
  const page = { document: PolicyPageDocument, variables: { namespace, name } };
  const [sizes, setSizes] = useState(firstSizes);
  const query = { document: PolicyHistoryDocument, variables: { namespace, name, ...sizes } };
  const values = { document: PolicyEffectiveValuesDocument, variables: { namespace, name } };
  // Told of by scalings, and by syncs, which bring the versions.
  const history = useLatest(
    useAnswer(query.document, query.variables, { everySeconds: seldomSeconds }),
    `${namespace}/${name}`,
  );
  const effective = useAnswer(values.document, values.variables, { everySeconds: seldomSeconds });
  useAskingAgain(PolicyScalingsDocument, { policy: { namespace, name } }, history.askAgain);
  useAskingAgain(SourceSyncsDocument, { source: origin.source }, () => {
    history.askAgain();
    effective.askAgain();
  });
  const { scalings, versions } = historyOf(history.data);
  const more = (of: keyof typeof sizes): void =>
    setSizes({ ...sizes, [of]: Math.min(largestPage, sizes[of] + firstSizes[of]) });
  return (
    <div className="policy-columns">
      <div className="policy-column">
        <PolicyChart policy={policy} decided={metrics} />
        <Latest policy={policy} answer={answer} decided={decided} />
        <Panel title={texts.scalings.title} answer={history} query={query}>
          <Scalings scalings={scalings.items} source={origin.source} />
          <Older of={scalings} onMore={() => more('scalings')}>
            <Link to={links.auditOf('ScalingEvent', { namespace, name })}>{texts.older.audit}</Link>
          </Older>
        </Panel>
      </div>
      <div className="policy-column">
        <Panel title={decisionTexts.blame.title} query={page}>
          <Blame policy={policy} decided={decided} isPart={answer.isPart} />
        </Panel>
        <Panel
          title={decisionTexts.metrics.title}
          query={page}
          tools={decided === null ? null : <Observed time={decided.decision.time} />}
        >
          <MetricsView metrics={metrics} />
        </Panel>
        <Panel title={texts.versions.title} answer={history} query={query}>
          <Versions versions={versions.items} hasOlder={versions.hasMore} />
          <Older of={versions} onMore={() => more('versions')}>
            <Link to={links.auditOf('PolicyChange', { namespace, name })}>{texts.older.audit}</Link>
          </Older>
        </Panel>
        <Panel title={texts.spec.title} answer={effective} query={values}>
          <EffectiveValues policy={policy} values={effective.data?.policy?.effectiveValues ?? []} />
        </Panel>
      </div>
    </div>
  );
}

function historyOf(data: PolicyHistoryQuery | undefined): History {
  return {
    scalings: listOf(data?.policy?.scalingEvents),
    versions: listOf(data?.policy?.versions),
  };
}

type PolicyWithHistory = NonNullable<PolicyHistoryQuery['policy']>;

interface History {
  readonly scalings: Listed<PolicyWithHistory['scalingEvents']['edges'][number]['node']>;
  readonly versions: Listed<PolicyWithHistory['versions']['edges'][number]['node']>;
}

/** The newest of a list, and whether there are older ones. */
interface Listed<T> {
  readonly items: readonly T[];
  readonly hasMore: boolean;
}

function listOf<T>(connection: ConnectionOf<T> | undefined): Listed<T> {
  return {
    items: connection?.edges.map(({ node }) => node) ?? [],
    hasMore: connection?.pageInfo.hasNextPage === true,
  };
}

interface ConnectionOf<T> {
  readonly edges: readonly { readonly node: T }[];
  readonly pageInfo: { readonly hasNextPage: boolean };
}

/** As many are shown at first, and as many more each time. */
const firstSizes = { scalings: 20, versions: 10 };

/** What the API answers at most; what is older is in the timeline. */
const largestPage = 100;

/** While more of a policy's lists is asked for, what is known of them stays. */
function useLatest<D>(answer: Answer<D>, policy: string): Answer<D> {
  const [kept, keep] = useState({ policy, data: answer.data });
  if (answer.data !== undefined && (answer.data !== kept.data || policy !== kept.policy))
    keep({ policy, data: answer.data });
  return answer.data === undefined && kept.policy === policy ? { ...answer, data: kept.data } : answer;
}

function Older({ of: { items, hasMore }, onMore, children }: OlderProps): ReactElement | null {
  if (!hasMore) return null;
  return items.length >= largestPage ? (
    <p>{children}</p>
  ) : (
    <button type="button" className="button older" onClick={onMore}>
      {texts.older.more}
    </button>
  );
}

interface OlderProps {
  readonly of: Listed<unknown>;
  readonly onMore: () => void;
  /** Where those are that are not shown here. */
  readonly children: ReactNode;
}

interface PanelsProps {
  readonly policy: PolicyOfPage;
  readonly answer: Answer<PolicyPageQuery>;
}

function Latest({ policy, answer, decided }: LatestProps): ReactElement {
  const { namespace, name, minReplicas, maxReplicas } = policy;
  const id = decided?.id ?? null;
  return (
    <Panel
      title={texts.latest}
      answer={answer}
      query={{ document: PolicyPageDocument, variables: { namespace, name } }}
      tools={
        decided === null || id === null ? null : (
          <OpenDecision decision={{ id, time: decided.decision.time }} />
        )
      }
    >
      {decided === null ? (
        <p className="quiet">{answer.isPart ? texts.decisionUnknown : texts.noDecision}</p>
      ) : (
        <>
          {decided.note === null ? null : <p className="quiet">{decided.note}</p>}
          <p>{decided.decision.reason}</p>
          <Waterfall {...decided.decision} bounds={{ minimum: minReplicas, maximum: maxReplicas }} />
        </>
      )}
    </Panel>
  );
}

interface LatestProps extends PanelsProps {
  readonly decided: Decided | null;
}

function Blame({ policy: { origin }, decided, isPart }: BlameProps): ReactElement {
  const blame = decided?.blame ?? null;
  return isPart && blame === null ? (
    <p className="quiet">{texts.blameUnknown(texts.spec.from(origin.file, origin.line), origin.source)}</p>
  ) : (
    <BlameView blame={blame} />
  );
}

interface BlameProps extends Pick<LatestProps, 'policy' | 'decided'> {
  readonly isPart: boolean;
}
