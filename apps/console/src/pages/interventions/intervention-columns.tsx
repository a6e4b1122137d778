import type { ReactElement } from 'react';
import { Link } from 'react-router';
import { ActionTrigger } from '../../components/action-trigger.tsx';
import type { Column } from '../../components/data-table.tsx';
import { selectColumn } from '../../components/select-column.tsx';
import { StateBadge } from '../../components/state-badge.tsx';
import { Timestamp } from '../../components/timestamp.tsx';
import type { Selection } from '../../components/use-selection.ts';
import { interventions as texts } from '../../messages/interventions.ts';
import { enderOf } from './end-dialog.tsx';
import { scopeLink, scopeText } from './intervention-scope.ts';
import { interventionTerms } from './intervention-terms.ts';
import type { StandingInterventionFragment } from './interventions.generated.ts';

interface ColumnsOptions extends Pick<
  Selection<StandingInterventionFragment>,
  'selected' | 'isAll' | 'toggle' | 'toggleAll'
> {
  readonly onEnd: (intervention: StandingInterventionFragment) => void;
  readonly isNarrow: boolean;
}

/** What a row is selected by. */
export function interventionKey({ id }: StandingInterventionFragment): string {
  return id;
}

type InterventionColumn = Column<StandingInterventionFragment>;

/** The columns of the interventions that stand; on a telephone, what, of what and why are in one. */
export function interventionColumns(options: ColumnsOptions): readonly InterventionColumn[] {
  const { onEnd, isNarrow, ...selection } = options;
  const select = selectColumn<StandingInterventionFragment>({
    title: texts.columns.select,
    titleOfAll: texts.selectAll,
    keyOf: interventionKey,
    titleOf: ({ scope }) => texts.select(scopeText(scope)),
    ...selection,
  });
  const end: InterventionColumn = {
    id: 'end',
    title: texts.columns.end,
    isTitleHidden: true,
    width: '6.75rem',
    isNumber: true,
    cell: (intervention) => (
      <ActionTrigger
        title={texts.end}
        requires={enderOf([intervention])}
        onClick={() => onEnd(intervention)}
      />
    ),
  };
  return isNarrow ? [narrow, end] : [select, ...wide, end];
}

const wide: readonly InterventionColumn[] = [
  {
    id: 'what',
    title: texts.columns.what,
    width: 'minmax(17rem, 1.5fr)',
    cell: (intervention) => <What intervention={intervention} />,
  },
  {
    id: 'of',
    title: texts.columns.of,
    width: 'minmax(8rem, 1.5fr)',
    cell: (intervention) => <Of intervention={intervention} />,
  },
  {
    id: 'until',
    title: texts.columns.until,
    width: '17rem',
    cell: (intervention) => <Until intervention={intervention} />,
  },
  {
    id: 'why',
    title: texts.columns.why,
    width: 'minmax(0, 3fr)',
    cell: (intervention) => <Why intervention={intervention} />,
  },
];

const narrow: InterventionColumn = {
  id: 'what',
  title: texts.columns.what,
  width: 'minmax(0, 1fr)',
  cell: (intervention) => (
    <>
      <div className="interventions-line">
        <StateBadge state={texts.states[intervention.kind]} /> <Of intervention={intervention} />
      </div>
      <div className="interventions-line">
        {texts.until} <Timestamp time={intervention.expires} />
      </div>
      <div className="interventions-line">
        <Timestamp time={intervention.expires} form="ago" /> · <Why intervention={intervention} />
      </div>
    </>
  ),
};

interface CellProps {
  readonly intervention: StandingInterventionFragment;
}

function What({ intervention }: CellProps): ReactElement {
  return (
    <>
      <StateBadge state={texts.states[intervention.kind]} />{' '}
      <span className="quiet">{interventionTerms(intervention)}</span>
    </>
  );
}

function Of({ intervention: { scope } }: CellProps): ReactElement {
  return (
    <Link to={scopeLink(scope)} tabIndex={-1}>
      {scopeText(scope)}
    </Link>
  );
}

function Until({ intervention: { expires } }: CellProps): ReactElement {
  return (
    <>
      <Timestamp time={expires} />{' '}
      <span className="quiet">
        <Timestamp time={expires} form="ago" />
      </span>
    </>
  );
}

function Why({ intervention: { actor, reason, since } }: CellProps): ReactElement {
  return (
    <span title={reason}>
      <bdi>{reason}</bdi>{' '}
      <span className="quiet">
        {texts.by(actor)}, <Timestamp time={since} form="ago" />
      </span>
    </span>
  );
}
