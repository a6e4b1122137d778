import { type CSSProperties, type ReactElement, useMemo } from 'react';
import { useNow } from '../../api/clock.ts';
import { ReplicaBar } from '../../components/charts/replica-bar.tsx';
import { Degradations } from '../../components/states/degradations.tsx';
import { Mark } from '../../components/states/mark.tsx';
import { ModeNote } from '../../components/states/mode-note.tsx';
import { StateShape } from '../../components/states/state-badge.tsx';
import { severityOf } from '../../components/states/state-severity.ts';
import { Age } from '../../components/time/age.tsx';
import { formatTime } from '../../components/time/format-time.ts';
import { Timestamp } from '../../components/time/timestamp.tsx';
import { Sentence } from '../../components/words/sentence.tsx';
import { common } from '../../messages/common.ts';
import { fleet as texts } from '../../messages/fleet.ts';
import { type ShownState, stateTexts } from '../../messages/states.ts';
import { timeZone } from '../../state/preferences.ts';
import { useStore } from '../../state/store.ts';
import type { FleetAroundQuery } from './fleet.generated.ts';
import { type FleetRow, rowKey } from './fleet-rows.ts';
import { countStates, isTroubled, viewFleet } from './fleet-view.ts';
import { inShort } from './in-short.ts';
import { States } from './state-cells.tsx';
import { troubledSince } from './troubled-since.ts';
import type { Fleet } from './use-fleet.ts';
import { WallAround } from './wall-around.tsx';

/** As many as are read from the other end of a room, beside what else there is. */
const maximumShown = 5;

/** More counts than these, the number of policies and that of holds beside them, are too many for two large lines. */
const manyStates = 12;

/** The fleet for a screen on a wall (`?tv`): nothing to click, and what wants attention large. */
export default function WallScreen({ fleet, around }: WallScreenProps): ReactElement {
  const { rows } = fleet;
  const counts = useMemo(() => [...countStates(rows)], [rows]);
  const troubled = useMemo(() => troubledOf(rows), [rows]);
  return (
    // On a telephone it scrolls, so the keyboard has to reach it.
    // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className="wall" role="region" aria-label={common.pages.wall} tabIndex={0}>
      <header className="wall-header">
        <Mark size={48} />
        <h1>{common.product}</h1>
        <span className="spring" />
        <Age of={fleet} />
        <Clock />
      </header>
      <ModeNote mode={around?.fleet.mode} />
      <Degradations degraded={around?.degraded ?? []} />
      <dl className="wall-counts" data-many={counts.length > manyStates}>
        <Count value={rows.length} text={texts.tv.policies(rows.length)} />
        {around === undefined || around.fleet.holds === 0 ? null : (
          <Count value={around.fleet.holds} text={texts.tv.holds} />
        )}
        {counts.map(([state, count]) => (
          <Count key={state} value={count} text={stateTexts[state].word} state={state} />
        ))}
      </dl>
      {troubled.length === 0 ? (
        <div className="wall-calm">
          <Mark size={96} />
          <div>
            <p>{texts.tv.calm}</p>
            <p className="quiet">{texts.tv.steady(rows.length)}</p>
          </div>
        </div>
      ) : (
        <Troubled rows={troubled} sources={around?.sources ?? []} />
      )}
      <WallAround isSaid={fleet.problem !== undefined} />
    </div>
  );
}

interface WallScreenProps {
  readonly fleet: Fleet;
  readonly around: FleetAroundQuery | undefined;
}

function troubledOf(rows: readonly FleetRow[]): readonly FleetRow[] {
  const view = {
    search: '',
    namespace: '',
    source: '',
    states: [],
    labelled: '',
    grouping: 'none',
    label: '',
  } as const;
  const [all] = viewFleet(rows, { ...view, order: 'state' });
  return (all?.rows ?? []).filter(isTroubled);
}

function Troubled({ rows, sources }: TroubledProps): ReactElement {
  const shown = rows.slice(0, maximumShown);
  return (
    <section className="wall-troubled" aria-label={texts.tv.troubled(rows.length)}>
      <h2>{texts.tv.troubled(rows.length)}</h2>
      {/* The fewer they are, the larger. */}
      <ul
        className="wall-rows"
        data-many={shown.length > 2}
        style={{ '--rows': shown.length === 1 ? 2 : Math.max(3, shown.length) } as CSSProperties}
      >
        {shown.map((row) => (
          <li key={rowKey(row)}>
            <span className="wall-name">
              <span className="quiet">{row.namespace}/</span>
              <bdi>{row.name}</bdi>
            </span>
            <strong className="wall-now">{row.status?.statusReplicas ?? texts.unknownCount}</strong>
            <span className="wall-bar">
              {row.inForce.minReplicas}
              <ReplicaBar
                minimum={row.inForce.minReplicas}
                maximum={row.inForce.maxReplicas}
                now={row.status?.statusReplicas ?? null}
                desired={row.status?.replicas}
              />
              {row.inForce.maxReplicas}
            </span>
            <span className="wall-states">
              <States row={row} />
            </span>
            <Since time={troubledSince(row, sources)} />
            <span className="wall-message">
              <Sentence text={inShort(row.status?.message ?? '')} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

interface TroubledProps {
  readonly rows: readonly FleetRow[];
  readonly sources: FleetAroundQuery['sources'];
}

function Since({ time }: { readonly time: string | null }): ReactElement {
  return (
    <span className="wall-since quiet">
      {time === null ? null : (
        <>
          {texts.tv.since} <Timestamp time={time} form="ago" />
        </>
      )}
    </span>
  );
}

function Count({ value, text, state }: CountProps): ReactElement {
  return (
    <div data-severity={state === undefined ? undefined : severityOf(state)}>
      <dd>{value.toLocaleString('en')}</dd>
      <dt>
        {state === undefined ? null : <StateShape state={state} />} {text}
      </dt>
    </div>
  );
}

interface CountProps {
  readonly value: number;
  readonly text: string;
  readonly state?: ShownState;
}

function Clock(): ReactElement {
  const { server } = useNow();
  const zone = useStore(timeZone);
  const time = new Date(server).toISOString();
  return <time className="wall-clock">{formatTime(time, zone, 'time').slice(0, 5)}</time>;
}
