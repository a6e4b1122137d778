import type { ReactElement, ReactNode } from 'react';
import { StateBadge } from '../../components/state-badge.tsx';
import { Timestamp } from '../../components/timestamp.tsx';
import { fleet } from '../../messages/fleet.ts';
import { interventions as interventionTexts } from '../../messages/interventions.ts';
import { sources as sourceTexts } from '../../messages/sources.ts';
import { entrySummary } from '../audit/entry-summary.ts';
import { scopeText } from '../interventions/intervention-scope.ts';
import { interventionTerms } from '../interventions/intervention-terms.ts';
import { SourceState } from '../source/source-state.tsx';
import type { WallAroundQuery } from './wall.generated.ts';

const texts = fleet.tv;

/** What happened lately, what waits or was done by people, and where policies come from: below what wants attention. */
export function WallAround({ around }: { readonly around: WallAroundQuery }): ReactElement {
  const { auditEntries, interventions, sources } = around;
  const holds = sources.flatMap((source) => source.holds.map((hold) => ({ ...hold, source: source.name })));
  return (
    <div className="wall-around">
      <Part title={texts.lately} none={texts.nothingLately}>
        {auditEntries.edges.map(({ node }) => (
          <Entry key={node.id} entry={node} />
        ))}
      </Part>
      <Part title={texts.people} none={texts.nothingByPeople}>
        {[
          ...holds
            .filter(({ isRejected }) => !isRejected)
            .map((hold) => <Hold key={hold.digest} hold={hold} />),
          ...interventions.map((intervention) => (
            <Intervention key={intervention.id} intervention={intervention} />
          )),
        ]}
      </Part>
      <Part title={texts.sources} none={texts.noSource}>
        {sources.map((source) => (
          <Source key={source.name} source={source} />
        ))}
      </Part>
    </div>
  );
}

interface PartProps {
  readonly title: string;
  /** What is said where there is nothing. */
  readonly none: string;
  readonly children: readonly ReactNode[];
}

/** As many as there is room for, and none cut in two. */
function Part({ title, none, children }: PartProps): ReactElement {
  return (
    <section className="wall-part" aria-label={title}>
      <h2>{title}</h2>
      {children.length === 0 ? <p className="quiet">{none}</p> : <ul>{children}</ul>}
    </section>
  );
}

type Entry = WallAroundQuery['auditEntries']['edges'][number]['node'];

function Entry({ entry }: { readonly entry: Entry }): ReactElement {
  const { time, policy } = entry;
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
      <span className="wall-more">{entrySummary(entry)}</span>
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
