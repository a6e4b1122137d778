import { type ReactElement, useMemo } from 'react';
import { Link, useNavigate } from 'react-router';
import { links } from '../../app/links.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { ReplicaBar } from '../../components/replica-bar.tsx';
import { sortedStates, StateBadge } from '../../components/state-badge.tsx';
import { Timestamp } from '../../components/timestamp.tsx';
import { fleet } from '../../messages/fleet.ts';
import { steady, unknownState } from '../../messages/states.ts';
import type { FleetRowFragment } from './fleet.generated.ts';

const columns: readonly Column<FleetRowFragment>[] = [
  {
    id: 'policy',
    title: fleet.columns.policy,
    width: 'minmax(9rem, 2fr)',
    cell: (row) => (
      <Link to={links.policy(row)} tabIndex={-1}>
        <span className="quiet">{row.namespace}/</span>
        {row.name}
      </Link>
    ),
  },
  {
    id: 'replicas',
    title: fleet.columns.replicas,
    width: '13.5rem',
    cell: ({ minReplicas, maxReplicas, status }) => (
      <ReplicaBar
        minimum={minReplicas}
        maximum={maxReplicas}
        now={status?.statusReplicas ?? null}
        desired={status?.replicas}
      />
    ),
  },
  {
    id: 'state',
    title: fleet.columns.state,
    width: 'minmax(8rem, 2fr)',
    cell: (row) => <States row={row} />,
  },
  {
    id: 'age',
    title: fleet.columns.age,
    width: '6rem',
    isNumber: true,
    cell: ({ status }) =>
      status === null ? fleet.notEvaluated : <Timestamp time={status.time} form="ago" />,
  },
];

/** The policies as rows. */
export function FleetTable({ rows }: { readonly rows: readonly FleetRowFragment[] }): ReactElement {
  const navigate = useNavigate();
  const items = useMemo(() => rows.map((value) => ({ kind: 'Row' as const, key: value.id, value })), [rows]);
  return (
    <DataTable
      label={fleet.table}
      columns={columns}
      items={items}
      onOpen={(row) => void navigate(links.policy(row))}
    />
  );
}

function States({ row: { states, status } }: { readonly row: FleetRowFragment }): ReactElement {
  if (status === null && states.length === 0) return <span className="quiet">{unknownState.word}</span>;
  if (states.length === 0) return <span className="quiet">{steady.word}</span>;
  return (
    <>
      {sortedStates(states).map((state) => (
        <StateBadge key={state} state={state} />
      ))}
    </>
  );
}
