import {
  type ReactElement,
  Suspense,
  useCallback,
  useDeferredValue,
  useEffect,
  useMemo,
  useState,
} from 'react';
import { Link } from 'react-router';
import { useAnswer } from '../../api/use-answer.ts';
import { QueryButton } from '../../components/frames/query-panel.tsx';
import { useNarrow } from '../../components/screen/use-narrow.ts';
import { Degradations } from '../../components/states/degradations.tsx';
import { lazyPart } from '../../components/states/lazy-part.tsx';
import { SeverityShape } from '../../components/states/state-badge.tsx';
import { Age } from '../../components/time/age.tsx';
import { common } from '../../messages/common.ts';
import { fleet as texts } from '../../messages/fleet.ts';
import { links } from '../../navigation/links.ts';
import { notePlaces } from '../../navigation/places.ts';
import { useParameters } from '../../navigation/use-parameters.ts';
import { FirstRun } from './first-run.tsx';
import { FleetAroundDocument, type FleetAroundQuery, FleetPageDocument } from './fleet.generated.ts';
import { FleetFilters } from './fleet-filters.tsx';
import { rowKey } from './fleet-rows.ts';
import { FleetTable } from './fleet-table.tsx';
import { parametersOf, viewOf } from './fleet-url.ts';
import { type FleetView, isTroubled, type ViewChange, viewFleet } from './fleet-view.ts';
import { type Fleet, useFleet } from './use-fleet.ts';

import './fleet.css';

const WallScreen = lazyPart(() => import('./wall-screen.tsx'));

/** Every policy that the caller may see. */
export default function FleetPage(): ReactElement {
  const [parameters, changeParameters] = useParameters();
  const view = useMemo(() => viewOf(parameters), [parameters]);
  const onView = useCallback(
    (change: ViewChange) =>
      changeParameters((now) => parametersOf(change(viewOf(now)), now), { replace: true }),
    [changeParameters],
  );
  const isWall = parameters.has('tv');
  const fleet = useFleet(view.label, isWall);
  const around = useAnswer(FleetAroundDocument, {});
  const { rows, isComplete } = fleet;
  useEffect(() => {
    notePlaces('policy', () => rows.map((row) => ({ title: rowKey(row), opens: links.policy(row) })));
  }, [rows]);
  if (isWall) {
    return (
      <Suspense>
        <WallScreen fleet={fleet} around={around.data} />
      </Suspense>
    );
  }
  const isEmpty = isComplete && rows.length === 0;
  return (
    <>
      <Degradations degraded={around.data?.degraded ?? []}>
        <Link to={links.controller}>{texts.whatToDo}</Link>
      </Degradations>
      {isEmpty ? <h1>{texts.title}</h1> : null}
      {isEmpty ? (
        <FirstRun hasSource={around.data === undefined || around.data.sources.length > 0} />
      ) : (
        <Policies fleet={fleet} view={view} around={around.data?.fleet} onView={onView} />
      )}
    </>
  );
}

interface PoliciesProps {
  readonly fleet: Fleet;
  readonly view: FleetView;
  /** What waits for an approval, also of policies that are not in force yet, and what operators have begun. */
  readonly around: FleetAroundQuery['fleet'] | undefined;
  readonly onView: (change: ViewChange) => void;
}

function Policies({ fleet, view, around, onView }: PoliciesProps): ReactElement {
  const { isComplete, data, problem } = fleet;
  const [isSelecting, setSelecting] = useState(false);
  // Typing goes before a table of ten thousand rows, and so do keys before what is told of them.
  const wanted = useDeferredValue(view);
  const rows = useDeferredValue(fleet.rows);
  const groups = useMemo(() => viewFleet(rows, wanted), [rows, wanted]);
  const shown = groups.reduce((sum, group) => sum + group.rows.length, 0);
  return (
    <>
      <header className="fleet-header">
        <h1>{texts.title}</h1>
        <Figures
          fleet={fleet}
          rows={rows}
          shown={shown}
          onTroubled={() => onView((now) => ({ ...now, order: 'state' }))}
        />
        <Leads around={around} namespace={view.namespace} />
        <span className="panel-about">
          <Age of={fleet} />
          <QueryButton
            query={[
              {
                document: FleetPageDocument,
                variables: {
                  first: 100,
                  after: null,
                  label: view.label,
                  withHistory: true,
                  withConditions: false,
                },
              },
              { document: FleetAroundDocument, variables: {} },
            ]}
          />
        </span>
      </header>
      <FleetFilters rows={rows} view={view} onView={onView}>
        <SelectSeveral isSelecting={isSelecting} onSelecting={setSelecting} />
      </FleetFilters>
      {data === undefined && problem === undefined ? (
        <div className="skeleton fleet-loading" role="status" aria-label={common.loading} />
      ) : (
        <FleetTable
          groups={groups}
          view={wanted}
          isLoading={!isComplete}
          isSelecting={isSelecting}
          onDone={fleet.refresh}
          onClear={() => onView(cleared)}
        />
      )}
    </>
  );
}

/** On a telephone rows have no room for boxes until they are wanted. */
function SelectSeveral({ isSelecting, onSelecting }: SelectSeveralProps): ReactElement | null {
  if (!useNarrow()) return null;
  return (
    <button
      type="button"
      className="button fleet-select"
      aria-pressed={isSelecting}
      onClick={() => onSelecting(!isSelecting)}
    >
      {texts.selectSeveral}
    </button>
  );
}

interface SelectSeveralProps {
  readonly isSelecting: boolean;
  readonly onSelecting: (isSelecting: boolean) => void;
}

/** How many there are, and how many of them want somebody: what is read first. */
function Figures({ fleet: { isComplete, data }, rows, shown, onTroubled }: FiguresProps): ReactElement {
  const troubled = useMemo(() => rows.filter(isTroubled).length, [rows]);
  return (
    <span className="fleet-figures">
      <span className="fleet-figure" role="status">
        {isComplete ? (
          <>
            <strong>{texts.figure(shown)}</strong> {texts.count(shown, rows.length)}
          </>
        ) : (
          <>
            <strong>{texts.figure(rows.length)}</strong> {texts.loading}
          </>
        )}
      </span>
      {data === undefined ? null : (
        <button
          type="button"
          className="fleet-figure"
          data-none={troubled === 0}
          title={texts.troubledFirst}
          onClick={onTroubled}
        >
          <strong>{texts.figure(troubled)}</strong> {texts.troubled(troubled)}
        </button>
      )}
    </span>
  );
}

interface FiguresProps {
  readonly fleet: Fleet;
  readonly rows: Fleet['rows'];
  /** How many of them are found. */
  readonly shown: number;
  readonly onTroubled: () => void;
}

/** To what people have to do with it, or have done. */
function Leads({ around, namespace }: LeadsProps): ReactElement {
  const { holds = 0, interventions = 0 } = around ?? {};
  return (
    <>
      {holds === 0 ? null : (
        <Link className="badge" data-severity="attention" to={links.sources}>
          <SeverityShape severity="attention" />
          {texts.holds(holds)}
        </Link>
      )}
      {interventions === 0 ? null : (
        <Link className="badge" data-severity="operator" to={links.interventions}>
          <SeverityShape severity="operator" />
          {texts.interventions(interventions)}
        </Link>
      )}
      {namespace === '' ? null : (
        <Link to={links.interventionIn('Namespace', namespace)}>{texts.intervene(namespace)}</Link>
      )}
    </>
  );
}

interface LeadsProps extends Pick<PoliciesProps, 'around'> {
  /** That the table is narrowed to; empty: it is not. */
  readonly namespace: string;
}

/** The view without what narrows it. */
function cleared(view: FleetView): FleetView {
  return { ...view, search: '', namespace: '', source: '', states: [], labelled: '' };
}
