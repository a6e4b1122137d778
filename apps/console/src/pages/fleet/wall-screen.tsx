import { type ReactElement, useMemo } from 'react';
import { useNow } from '../../api/clock.ts';
import { Age } from '../../components/age.tsx';
import { Degradations } from '../../components/degradations.tsx';
import { formatTime } from '../../components/format-time.ts';
import { Mark } from '../../components/mark.tsx';
import { ReplicaBar } from '../../components/replica-bar.tsx';
import { SeverityShape } from '../../components/state-badge.tsx';
import { type Severity, severityOf } from '../../components/state-severity.ts';
import { fleet as texts } from '../../messages/fleet.ts';
import { shell } from '../../messages/shell.ts';
import { stateTexts, waiting } from '../../messages/states.ts';
import { timeZone } from '../../state/preferences.ts';
import { useStore } from '../../state/store.ts';
import type { FleetAroundQuery } from './fleet.generated.ts';
import { type FleetRow, rowKey } from './fleet-rows.ts';
import { countStates, isPressing, isWaiting, viewFleet } from './fleet-view.ts';
import { inShort } from './in-short.ts';
import { States } from './states.tsx';
import type { Fleet } from './use-fleet.ts';

/** As many as are read from the other end of a room. */
const maximumShown = 10;

/** The fleet for a screen on a wall (`?tv`): nothing to click, and what wants attention large. */
export default function WallScreen({ fleet, around }: WallScreenProps): ReactElement {
  const { rows } = fleet;
  const counts = useMemo(() => [...countStates(rows)], [rows]);
  const troubled = useMemo(() => troubledOf(rows), [rows]);
  const waitingCount = useMemo(() => rows.filter(isWaiting).length, [rows]);
  return (
    <div className="wall">
      <header className="wall-header">
        <Mark size={48} />
        <h1>{shell.product}</h1>
        <span className="spring" />
        <Age of={fleet} />
        <Clock />
      </header>
      <Degradations degraded={around?.degraded ?? []} />
      <dl className="wall-counts">
        <Count value={rows.length} text={texts.tv.policies} />
        {around === undefined || around.fleet.holds === 0 ? null : (
          <Count value={around.fleet.holds} text={texts.tv.holds} />
        )}
        {counts.map(([state, count]) => (
          <Count key={state} value={count} text={stateTexts[state].word} severity={severityOf(state)} />
        ))}
        {waitingCount === 0 ? null : <Count value={waitingCount} text={waiting.word} severity="attention" />}
      </dl>
      {troubled.length === 0 ? (
        <div className="wall-calm">
          <Mark size={96} />
          <p>{texts.tv.calm}</p>
          <p className="quiet">{texts.tv.steady(rows.length)}</p>
        </div>
      ) : (
        <Troubled rows={troubled} />
      )}
    </div>
  );
}

interface WallScreenProps {
  readonly fleet: Fleet;
  readonly around: FleetAroundQuery | undefined;
}

function troubledOf(rows: readonly FleetRow[]): readonly FleetRow[] {
  const view = { search: '', namespace: '', source: '', states: [], grouping: 'none', label: '' } as const;
  const [all] = viewFleet(rows, { ...view, order: 'state' });
  return (all?.rows ?? []).filter(isPressing);
}

function Troubled({ rows }: { readonly rows: readonly FleetRow[] }): ReactElement {
  return (
    <ul className="wall-rows">
      {rows.slice(0, maximumShown).map((row) => (
        <li key={rowKey(row)}>
          <span className="wall-name">
            <span className="quiet">{row.namespace}/</span>
            <bdi>{row.name}</bdi>
          </span>
          <strong className="wall-now">{row.status?.statusReplicas ?? texts.unknownCount}</strong>
          <span className="wall-bar">
            {row.minReplicas}
            <ReplicaBar
              minimum={row.minReplicas}
              maximum={row.maxReplicas}
              now={row.status?.statusReplicas ?? null}
              desired={row.status?.replicas}
            />
            {row.maxReplicas}
          </span>
          <span className="wall-states">
            <States row={row} />
          </span>
          <span className="wall-message">{inShort(row.status?.message ?? '')}</span>
        </li>
      ))}
      {rows.length > maximumShown ? (
        <li className="quiet">{texts.tv.others(rows.length - maximumShown)}</li>
      ) : null}
    </ul>
  );
}

function Count({ value, text, severity }: CountProps): ReactElement {
  return (
    <div data-severity={severity}>
      <dd>{value.toLocaleString('en')}</dd>
      <dt>
        {severity === undefined ? null : <SeverityShape severity={severity} />} {text}
      </dt>
    </div>
  );
}

interface CountProps {
  readonly value: number;
  readonly text: string;
  readonly severity?: Severity;
}

function Clock(): ReactElement {
  const { server } = useNow();
  const zone = useStore(timeZone);
  const time = new Date(server).toISOString();
  return <time className="wall-clock">{formatTime(time, zone, 'time').slice(0, 5)}</time>;
}
