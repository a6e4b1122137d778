import type { ReactElement, ReactNode } from 'react';
import { type Answer, useAnswer } from '../../api/use-answer.ts';
import { Unknown } from '../../components/frames/panel.tsx';
import { StateBadge } from '../../components/states/state-badge.tsx';
import { Age } from '../../components/time/age.tsx';
import { Timestamp } from '../../components/time/timestamp.tsx';
import { fleet } from '../../messages/fleet.ts';
import { interventions as interventionTexts } from '../../messages/interventions.ts';
import { sources as sourceTexts } from '../../messages/sources.ts';
import { timeZone } from '../../state/preferences.ts';
import { useStore } from '../../state/store.ts';
import { entrySummary } from '../audit/entry-summary.ts';
import { scopeText } from '../interventions/intervention-scope.ts';
import { interventionTerms } from '../interventions/intervention-terms.ts';
import { SourceState } from '../source/source-state.tsx';
import {
  WallAroundDocument,
  type WallAroundQuery,
  WallLatelyDocument,
  type WallLatelyQuery,
} from './wall.generated.ts';

const texts = fleet.tv;

/** What happened lately is more than there is room for, at any size. */
const latelyQuestion = {
  lately: 12,
  kinds: ['ScalingEvent', 'ScalingFailure', 'OperatorAction', 'SyncRun'],
} as const;

/**
 * What happened lately, what waits or was done by people, and where policies come from: below what wants attention. What is
 * recorded is asked apart from what the controller has in memory, so that an outage of the database takes no more than that.
 */
export function WallAround({ isSaid }: WallAroundProps): ReactElement {
  const lately = useAnswer(WallLatelyDocument, latelyQuestion);
  const around = useAnswer(WallAroundDocument, {}, { takesParts: true });
  return (
    <div className="wall-around">
      <Part title={texts.lately} none={texts.nothingLately} answer={lately} isSaid={isSaid}>
        {lately.data?.auditEntries.edges.map(({ node }) => (
          <Entry key={node.id} entry={node} />
        ))}
      </Part>
      <Part title={texts.people} none={texts.nothingByPeople} answer={around} isSaid={isSaid}>
        {around.data === undefined ? undefined : byPeople(around.data)}
      </Part>
      <Part title={texts.sources} none={texts.noSource} answer={around} isSaid={isSaid}>
        {around.data?.sources.map((source) => (
          <Source key={source.name} source={source} />
        ))}
      </Part>
    </div>
  );
}

function byPeople({ interventions, sources }: WallAroundQuery): readonly ReactNode[] {
  const holds = sources.flatMap((source) => source.holds.map((hold) => ({ ...hold, source: source.name })));
  return [
    ...holds.filter(({ isRejected }) => !isRejected).map((hold) => <Hold key={hold.digest} hold={hold} />),
    ...interventions.map((intervention) => (
      <Intervention key={intervention.id} intervention={intervention} />
    )),
  ];
}

interface WallAroundProps {
  /** Why nothing of it is younger stands above. */
  readonly isSaid: boolean;
}

interface PartProps extends WallAroundProps {
  readonly title: string;
  /** What is said where there is nothing. */
  readonly none: string;
  readonly answer: Answer<unknown>;
  /** Undefined: it is not known. */
  readonly children: readonly ReactNode[] | undefined;
}

/** As many as there is room for, and none cut in two; with its age. */
function Part({ title, none, answer, isSaid, children }: PartProps): ReactElement {
  return (
    <section className="wall-part" aria-label={title}>
      <header>
        <h2>{title}</h2>
        <Age of={answer} isSaid={isSaid || children === undefined} />
      </header>
      {children === undefined ? <Unknown problem={answer.problem} /> : null}
      {children?.length === 0 ? <p className="quiet">{none}</p> : null}
      {children === undefined || children.length === 0 ? null : <ul>{children}</ul>}
    </section>
  );
}

type Entry = WallLatelyQuery['auditEntries']['edges'][number]['node'];

function Entry({ entry }: { readonly entry: Entry }): ReactElement {
  const { time, policy } = entry;
  const zone = useStore(timeZone);
  return (
    <li>
      <span className="wall-line">
        <strong>
          {policy === null
            ? (texts.kinds[entry.__typename] ?? entry.kind)
            : `${policy.namespace}/${policy.name}`}
        </strong>
        <span className="spring" />
        <span className="quiet">
          <Timestamp time={time} form="ago" />
        </span>
      </span>
      <span className="wall-more">{entrySummary(entry, zone)}</span>
    </li>
  );
}

type Hold = WallAroundQuery['sources'][number]['holds'][number];

function Hold({ hold }: { readonly hold: Hold & { readonly source: string } }): ReactElement {
  const { commit, source, since, effect } = hold;
  return (
    <li>
      <span className="wall-line">
        <StateBadge state="Held" />
        <strong>{source}</strong>
        <code>{commit.slice(0, 7)}</code>
        <span className="spring" />
        <span className="quiet">
          <Timestamp time={since} form="ago" />
        </span>
      </span>
      <span className="wall-more">{effect === null ? '' : sourceTexts.hold.effect(effect)}</span>
    </li>
  );
}

type Standing = WallAroundQuery['interventions'][number];

function Intervention({ intervention }: { readonly intervention: Standing }): ReactElement {
  const { kind, scope, expires, actor, reason } = intervention;
  const terms = interventionTerms(intervention);
  return (
    <li>
      <span className="wall-line">
        <StateBadge state={interventionTexts.states[kind]} />
        <strong>{scopeText(scope)}</strong>
        <span className="spring" />
        <span className="quiet">
          {texts.ends} <Timestamp time={expires} form="ago" />
        </span>
      </span>
      <span className="wall-more">
        {terms === '' ? '' : `${terms}, `}
        {interventionTexts.by(actor)}: <bdi>{reason}</bdi>
      </span>
    </li>
  );
}

function Source({ source }: { readonly source: WallAroundQuery['sources'][number] }): ReactElement {
  const { name, commit, lastSyncTime } = source;
  return (
    <li>
      <span className="wall-line">
        <strong>{name}</strong>
        <SourceState source={source} />
        <span className="spring" />
        <span className="quiet">
          {lastSyncTime === null ? sourceTexts.never : <Timestamp time={lastSyncTime} form="ago" />}
        </span>
      </span>
      <span className="wall-more">
        {commit === null ? sourceTexts.nothingInForce : `${commit.hash.slice(0, 7)} ${commit.subject}`}
      </span>
    </li>
  );
}
