import type { ReactElement } from 'react';
import { Link } from 'react-router';
import type { Column } from '../../components/lists/data-table.tsx';
import { selectColumn } from '../../components/lists/select-column.tsx';
import type { Selection } from '../../components/lists/use-selection.ts';
import { StateBadge } from '../../components/states/state-badge.tsx';
import { Timestamp } from '../../components/time/timestamp.tsx';
import { interventions as texts } from '../../messages/interventions.ts';
import { EndButton } from './end-button.tsx';
import { scopeLink, scopeText } from './intervention-scope.ts';
import { interventionTerms } from './intervention-terms.ts';
import type { StandingInterventionFragment } from './interventions.generated.ts';

interface ColumnsOptions extends Pick<
  Selection<StandingInterventionFragment>,
  'selected' | 'isAll' | 'toggle' | 'toggleAll'
> {
  /** Something may have changed. */
  readonly onDone: () => void;
  /** Says which policies it acts on. */
  readonly onShow: (intervention: StandingInterventionFragment) => void;
  readonly isNarrow: boolean;
}

/** What a row is selected by. */
export function interventionKey({ id }: StandingInterventionFragment): string {
  return id;
}

type InterventionColumn = Column<StandingInterventionFragment>;

/** The columns of the interventions that stand; on a telephone, one that has everything. */
export function interventionColumns(options: ColumnsOptions): readonly InterventionColumn[] {
  const { onDone, onShow, isNarrow, ...selection } = options;
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
    cell: (intervention) => <EndButton interventions={[intervention]} onDone={onDone} />,
  };
  return isNarrow ? [narrowOf({ onShow, onDone })] : [select, what, ofColumn(onShow), ...rest, end];
}

const what: InterventionColumn = {
  id: 'what',
  title: texts.columns.what,
  width: 'minmax(16rem, 1fr)',
  cell: (intervention) => <What intervention={intervention} />,
};

function ofColumn(onShow: ColumnsOptions['onShow']): InterventionColumn {
  return {
    id: 'of',
    title: texts.columns.of,
    width: 'minmax(15rem, 1.5fr)',
    cell: (intervention) => <Of intervention={intervention} onShow={onShow} />,
  };
}

const rest: readonly InterventionColumn[] = [
  {
    id: 'until',
    title: texts.columns.until,
    width: '17rem',
    cell: (intervention) => <Until intervention={intervention} />,
  },
  {
    id: 'why',
    title: texts.columns.why,
    width: 'minmax(0, 2.5fr)',
    cell: (intervention) => <WhyInLines intervention={intervention} />,
  },
];

function narrowOf({ onShow, onDone }: Pick<ColumnsOptions, 'onShow' | 'onDone'>): InterventionColumn {
  return { id: 'what', title: texts.columns.what, width: 'minmax(0, 1fr)', cell: cellOf };

  function cellOf(intervention: StandingInterventionFragment): ReactElement {
    return (
      <>
        <div className="interventions-line">
          <StateBadge state={texts.states[intervention.kind]} /> <Place intervention={intervention} />
        </div>
        <div className="interventions-line">
          <Until intervention={intervention} />
        </div>
        <div className="interventions-line">
          <Why intervention={intervention} />
        </div>
        <div className="interventions-line interventions-does">
          <Which intervention={intervention} onShow={onShow} />
          <span className="spring" />
          <EndButton interventions={[intervention]} onDone={onDone} />
        </div>
      </>
    );
  }
}

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

/** A row has no room for what it was forced against: its policy's page and its entry say it. */
function ByWhom({ intervention: { actor, since, against } }: CellProps): ReactElement {
  return (
    <>
      {against.length === 0 ? null : <strong title={against.join('; ')}>{texts.forced} </strong>}
      {texts.by(actor)}, <Timestamp time={since} form="ago" />
    </>
  );
}

function Of({ intervention, onShow }: WhichProps): ReactElement {
  return (
    <span className="interventions-of">
      <Place intervention={intervention} />
      <Which intervention={intervention} onShow={onShow} />
    </span>
  );
}

function Place({ intervention: { scope } }: CellProps): ReactElement {
  const text = scopeText(scope);
  return (
    <Link to={scopeLink(scope)} tabIndex={-1} title={text}>
      {text}
    </Link>
  );
}

/** Of what is for one policy, its name says which. */
function Which({ intervention, onShow }: WhichProps): ReactElement | null {
  return intervention.scope.kind === 'Policy' ? null : (
    <button type="button" className="link" onClick={() => onShow(intervention)}>
      {texts.acted.show}
    </button>
  );
}

interface WhichProps extends CellProps, Pick<ColumnsOptions, 'onShow'> {}

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

function Why({ intervention }: CellProps): ReactElement {
  const { reason } = intervention;
  return (
    <span title={reason}>
      <bdi>{reason}</bdi>{' '}
      <span className="quiet">
        <ByWhom intervention={intervention} />
      </span>
    </span>
  );
}

/** Who it was has a line of its own: a long reason leaves it to be read. */
function WhyInLines({ intervention }: CellProps): ReactElement {
  const { reason } = intervention;
  return (
    <>
      <div className="interventions-line" title={reason}>
        <bdi>{reason}</bdi>
      </div>
      <div className="interventions-line quiet">
        <ByWhom intervention={intervention} />
      </div>
    </>
  );
}
