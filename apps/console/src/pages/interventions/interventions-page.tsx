import { type ReactElement, useDeferredValue, useMemo, useState } from 'react';
import { useNavigate } from 'react-router';
import { useAnswer } from '../../api/use-answer.ts';
import { useAskingAgain } from '../../api/use-events.ts';
import { Panel } from '../../components/frames/panel.tsx';
import { QueryButton } from '../../components/frames/query-panel.tsx';
import { BulkBar } from '../../components/lists/bulk-bar.tsx';
import { DataTable } from '../../components/lists/data-table.tsx';
import { SearchField } from '../../components/lists/search-field.tsx';
import { useSelection } from '../../components/lists/use-selection.ts';
import { useNarrow } from '../../components/screen/use-narrow.ts';
import { EmptyState } from '../../components/states/empty-state.tsx';
import { Age } from '../../components/time/age.tsx';
import { interventions as texts } from '../../messages/interventions.ts';
import { useParameters } from '../../navigation/use-parameters.ts';
import { ActedPolicies } from './acted-policies.tsx';
import { EndButton } from './end-button.tsx';
import { IntervenePanel } from './intervene-panel.tsx';
import { interventionColumns, interventionKey } from './intervention-columns.tsx';
import { scopeLink, scopeText } from './intervention-scope.ts';
import {
  ActionsToldDocument,
  InterventionsPageDocument,
  type StandingInterventionFragment,
} from './interventions.generated.ts';

import './interventions.css';

const query = { document: InterventionsPageDocument, variables: {} };

/** What operators have begun and still stands, whatever Git says; and where one begins for more than one policy. */
export default function InterventionsPage(): ReactElement {
  const answer = useAnswer(query.document, query.variables);
  useAskingAgain(ActionsToldDocument, {}, answer.askAgain);
  const [parameters, changeParameters] = useParameters();
  const search = parameters.get('q') ?? '';
  const wanted = useDeferredValue(search);
  const all = useMemo(() => answer.data?.interventions.toReversed() ?? [], [answer.data]);
  const found = useMemo(() => findInterventions(all, wanted), [all, wanted]);
  const look = (text: string): void => changeParameters((now) => withSearch(now, text), { replace: true });
  return (
    <>
      <header className="panel-header">
        <h1>{texts.title}</h1>
        <span className="quiet" role="status">
          {all.length === 0 ? null : texts.count(found.length, all.length)}
        </span>
        <span className="panel-about">
          <Age of={answer} />
          <QueryButton query={query} />
        </span>
      </header>
      {answer.data === undefined ? (
        <Panel title={texts.table} answer={answer}>
          {null}
        </Panel>
      ) : (
        <>
          {all.length === 0 ? (
            <EmptyState title={texts.none.title}>{texts.none.text}</EmptyState>
          ) : (
            <>
              <SearchField label={texts.search} wanted={search} onSearch={look} />
              <Standing interventions={found} onDone={answer.refresh} onShowAll={() => look('')} />
            </>
          )}
          <IntervenePanel
            // Who is led here from elsewhere finds the place filled in.
            key={`${parameters.get('in') ?? ''} ${parameters.get('name') ?? ''}`}
            led={{ kind: parameters.get('in'), name: parameters.get('name') }}
            sources={answer.data.sources}
            onDone={answer.refresh}
          />
        </>
      )}
    </>
  );
}

function withSearch(before: URLSearchParams, text: string): URLSearchParams {
  const next = new URLSearchParams(before);
  if (text === '') next.delete('q');
  else next.set('q', text);
  return next;
}

/** Those that have every word in their place, their author or their reason. */
function findInterventions(
  all: readonly StandingInterventionFragment[],
  search: string,
): readonly StandingInterventionFragment[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return all.filter(({ scope, actor, reason }) => {
    const text = `${scopeText(scope)} ${actor} ${reason}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

interface StandingProps {
  readonly interventions: readonly StandingInterventionFragment[];
  /** Something may have changed. */
  readonly onDone: () => void;
  readonly onShowAll: () => void;
}

/** The table, and the end of one or of several. */
function Standing({ interventions, onDone, onShowAll }: StandingProps): ReactElement {
  const navigate = useNavigate();
  const isNarrow = useNarrow();
  const { selected, chosen, isAll, toggle, toggleAll, clear } = useSelection(interventions, interventionKey);
  const [shown, setShown] = useState<StandingInterventionFragment | undefined>();
  const columns = useMemo(
    () =>
      interventionColumns({
        selected,
        isAll,
        toggle,
        toggleAll,
        isNarrow,
        onDone,
        onShow: setShown,
      }),
    [selected, isAll, toggle, toggleAll, isNarrow, onDone],
  );
  const items = useMemo(
    () => interventions.map((value) => ({ kind: 'Row' as const, key: value.id, value })),
    [interventions],
  );
  return (
    <>
      <DataTable
        label={texts.table}
        columns={columns}
        items={items}
        rowHeight={isNarrow ? 7.5 : 3.25}
        selected={selected}
        onSelect={toggle}
        onSelectAll={toggleAll}
        onOpen={({ scope }) => void navigate(scopeLink(scope))}
        empty={
          <EmptyState title={texts.nothingFound.title}>
            <p>{texts.nothingFound.text}</p>
            <button type="button" className="button" onClick={onShowAll}>
              {texts.showAll}
            </button>
          </EmptyState>
        }
      />
      {chosen.length === 0 ? null : (
        <BulkBar count={chosen.length} onClear={clear}>
          <span className="spring" />
          <EndButton interventions={chosen} onDone={onDone} />
        </BulkBar>
      )}
      {shown === undefined ? null : (
        <ActedPolicies intervention={shown} onClose={() => setShown(undefined)} />
      )}
    </>
  );
}
