import { memo, type ReactElement } from 'react';
import { Link } from 'react-router';
import { ReplicaBar } from '../../components/charts/replica-bar.tsx';
import { Sparkline } from '../../components/charts/sparkline.tsx';
import type { Column } from '../../components/lists/data-table.tsx';
import { selectColumn } from '../../components/lists/select-column.tsx';
import type { Selection } from '../../components/lists/use-selection.ts';
import { formatTime } from '../../components/time/format-time.ts';
import { Timestamp } from '../../components/time/timestamp.tsx';
import { Sentence } from '../../components/words/sentence.tsx';
import { fleet as texts } from '../../messages/fleet.ts';
import { passes } from '../../messages/passes.ts';
import { links } from '../../navigation/links.ts';
import { timeZone } from '../../state/preferences.ts';
import { useStore } from '../../state/store.ts';
import { type FleetRow, rowKey } from './fleet-rows.ts';
import { inShort } from './in-short.ts';
import { ShortStates, States } from './state-cells.tsx';

/** How much of a row there is room for: two lines of it, one without the message, one with the states in short, all. */
export type RowRoom = 'Telephone' | 'Small' | 'Usual' | 'Wide';

interface FleetColumnsOptions {
  readonly room: RowRoom;
  /** Null: rows have no boxes. */
  readonly selection: Pick<Selection<FleetRow>, 'selected' | 'isAll' | 'toggle' | 'toggleAll'> | null;
  /** Says all of a row that it has no room for. */
  readonly onExplain: (row: FleetRow) => void;
}

/** The columns of the fleet's table; on a telephone, name, count, bar and states in two lines. */
export function fleetColumns({
  room,
  selection,
  onExplain,
}: FleetColumnsOptions): readonly Column<FleetRow>[] {
  const { select, selectAll, columns } = texts;
  const titles = { title: columns.select, titleOfAll: selectAll };
  const titleOf = (row: FleetRow): string => select(rowKey(row));
  return [
    ...(selection === null ? [] : [selectColumn({ ...titles, ...selection, keyOf: rowKey, titleOf })]),
    ...(room === 'Telephone' ? narrowColumns(onExplain) : wideColumns(room, onExplain)),
  ];
}

const wideColumns = (
  room: Exclude<RowRoom, 'Telephone'>,
  onExplain: (row: FleetRow) => void,
): readonly Column<FleetRow>[] => [
  {
    id: 'policy',
    title: texts.columns.policy,
    width: 'minmax(8rem, 1.4fr)',
    cell: (row) => <Name row={row} />,
  },
  { id: 'now', title: texts.columns.now, width: '4.75rem', isNumber: true, cell: (row) => <Now row={row} /> },
  {
    id: 'bounds',
    title: texts.columns.replicas,
    width: '13.5rem',
    cell: (row) => <Bounds row={row} width={148} />,
  },
  { id: 'hour', title: texts.columns.hour, width: '6rem', cell: (row) => <Hour row={row} /> },
  {
    id: 'state',
    title: texts.columns.state,
    // Room for the longest word that has others beside it.
    width: 'minmax(11.5rem, 1.3fr)',
    cell: (row) => (room === 'Wide' ? <States row={row} /> : <ShortStates row={row} onExplain={onExplain} />),
  },
  ...(room === 'Small' ? [] : [messageColumn]),
  {
    id: 'age',
    title: texts.columns.age,
    width: '5.25rem',
    isNumber: true,
    cell: ({ status }) => (status === null ? texts.notEvaluated : <Evaluated status={status} />),
  },
];

/** When a pass over it ended last, as far as the replica that answers knows. */
function Evaluated({ status: { evaluatedBy, time } }: EvaluatedProps): ReactElement {
  const zone = useStore(timeZone);
  if (evaluatedBy === 'ThisReplica') return <Timestamp time={time} form="ago" />;
  return (
    <span className="quiet" title={passes.title[evaluatedBy](formatTime(time, zone))}>
      {passes.short[evaluatedBy]}
    </span>
  );
}

interface EvaluatedProps {
  readonly status: NonNullable<FleetRow['status']>;
}

const messageColumn: Column<FleetRow> = {
  id: 'message',
  title: texts.columns.message,
  width: 'minmax(0, 2.2fr)',
  cell: ({ status }) =>
    status === null ? null : (
      <span className="fleet-message" title={status.message}>
        <Sentence text={inShort(status.message)} />
      </span>
    ),
};

const narrowColumns = (onExplain: (row: FleetRow) => void): readonly Column<FleetRow>[] => [
  {
    id: 'policy',
    title: texts.columns.policy,
    width: 'minmax(0, 1fr)',
    cell: (row) => (
      <>
        <div className="fleet-name">
          <Name row={row} />
        </div>
        <div className="fleet-second">
          <ShortStates row={row} onExplain={onExplain} />
        </div>
      </>
    ),
  },
  {
    id: 'bounds',
    title: texts.columns.replicas,
    width: '7.5rem',
    cell: (row) => (
      <>
        <Now row={row} />
        <Bounds row={row} width={72} />
      </>
    ),
  },
];

/**
 * The name is isolated: one that is written from right to left does not turn what is beside it. Its parts are laid out each by
 * itself, and are one word all the same to who listens.
 */
function Name({ row }: { readonly row: FleetRow }): ReactElement {
  return (
    <Link
      to={links.policy(row)}
      className="fleet-policy"
      tabIndex={-1}
      title={rowKey(row)}
      aria-label={rowKey(row)}
    >
      <span className="quiet">{row.namespace}/</span>
      <bdi>{row.name}</bdi>
    </Link>
  );
}

function Now({ row: { status } }: { readonly row: FleetRow }): ReactElement {
  const now = status?.statusReplicas ?? null;
  const wanted = status?.replicas ?? null;
  return (
    <span className="fleet-now">
      {now === null ? <span title={texts.unknownTitle}>{texts.unknownCount}</span> : <strong>{now}</strong>}
      {wanted === null || wanted === now ? null : (
        <span className="fleet-wanted" title={texts.wantedTitle(wanted)}>
          {texts.wanted(wanted)}
        </span>
      )}
    </span>
  );
}

function Bounds({ row, width }: { readonly row: FleetRow; readonly width: number }): ReactElement {
  const { inForce, status } = row;
  const { minReplicas, maxReplicas } = inForce;
  return (
    <span className="fleet-bounds">
      <span className="fleet-bound">{minReplicas}</span>
      <ReplicaBar
        minimum={minReplicas}
        maximum={maxReplicas}
        now={status?.statusReplicas ?? null}
        desired={status?.replicas}
        width={width}
      />
      <span className="fleet-bound">{maxReplicas}</span>
    </span>
  );
}

const Hour = memo(function Hour({ row }: { readonly row: FleetRow }): ReactElement {
  const { history, inForce } = row;
  const known = history.filter((value) => value !== null);
  return (
    <Sparkline
      values={history}
      minimum={inForce.minReplicas}
      maximum={inForce.maxReplicas}
      label={texts.hour(known)}
    />
  );
});
