import { type ReactElement, useMemo, useState } from 'react';
import { Link } from 'react-router';
import { Waterfall } from '../../components/charts/waterfall.tsx';
import { Panel } from '../../components/frames/panel.tsx';
import { playground as texts } from '../../messages/playground.ts';
import { links } from '../../navigation/links.ts';
import { CurveForm } from './curve-form.tsx';
import { loadAtOf } from './load-curve.ts';
import { ObservationEditor } from './observation-editor.tsx';
import { PolicyEditor } from './policy-editor.tsx';
import { readObservation, type ScenarioReading } from './read-observation.ts';
import { type PolicyText, readPolicyText } from './read-policy-text.ts';
import type { RunChange } from './run-curve.ts';
import { afterText, RunView } from './run-view.tsx';
import { maximumObservationCharacters, maximumPolicyCharacters, type Scenario } from './scenario.ts';
import { type RunState, useRun } from './use-run.ts';
import { type ScenarioOfPage, useScenario } from './use-scenario.ts';

import '../../evaluation/evaluation.css';
import './playground.css';

/** Policies tried out: a decision on one observation, and many under a load over time. */
export default function PlaygroundPage(): ReactElement {
  const page = useScenario();
  const { scenario, answer, change, note } = page;
  return (
    <>
      <Head page={page} />
      {note === '' ? null : (
        <p className="problem" role="status">
          {note}
        </p>
      )}
      {scenario === undefined ? (
        <Panel title={texts.loading} answer={answer}>
          {null}
        </Panel>
      ) : (
        <Playground scenario={scenario} onChange={change} />
      )}
    </>
  );
}

function Head({ page: { decision, restart } }: { readonly page: ScenarioOfPage }): ReactElement {
  return (
    <header className="playground-head">
      <div>
        <h1>{texts.title}</h1>
        <p className="quiet">{texts.intro}</p>
        {decision === undefined ? null : (
          <p>
            {texts.loaded} <Link to={links.decision(decision)}>{texts.decision}</Link>.
          </p>
        )}
      </div>
      <span className="spring" />
      <button type="button" className="button" onClick={restart}>
        {texts.start.example}
      </button>
    </header>
  );
}

interface PlaygroundProps {
  readonly scenario: Scenario;
  readonly onChange: (change: Partial<Scenario>) => void;
}

function Playground({ scenario, onChange }: PlaygroundProps): ReactElement {
  const { policy: text, curve, minutes, podStartSeconds } = scenario;
  const read = useMemo(() => readPolicyText(text.slice(0, maximumPolicyCharacters)), [text]);
  const reading = useReading(read, scenario);
  const decided = useLatest(reading.kind === 'Decided' ? reading.evaluated : undefined);
  const base = decided?.input;
  const load = useMemo(
    () => loadAtOf(curve, Date.parse(base?.observation.time ?? '') / 1_000),
    [curve, base?.observation.time],
  );
  const run = useRun(base, load.ok ? load.value : undefined, { minutes, podStartSeconds });
  return (
    <div className="playground">
      <div className="playground-column">
        <TooLong text={text} most={maximumPolicyCharacters} />
        <PolicyEditor value={text} read={read} onChange={(policy) => onChange({ policy })} />
        <TooLong text={scenario.observation} most={maximumObservationCharacters} />
        <ObservationEditor
          scenario={scenario}
          policy={read.policy ?? base?.policy}
          problem={reading.kind === 'BadObservation' ? reading.problem : undefined}
          onChange={onChange}
        />
      </div>
      <div className="playground-column">
        <Results decided={decided} run={run}>
          <CurveForm scenario={scenario} problem={load.ok ? undefined : load.error} onChange={onChange} />
        </Results>
      </div>
    </div>
  );
}

function TooLong({ text, most }: { readonly text: string; readonly most: number }): ReactElement | null {
  if (text.length <= most) return null;
  return (
    <p className="problem" role="alert">
      {texts.policy.tooLong(text.length, most)}
    </p>
  );
}

/** Read again only when what it is read from changes: a curve that is typed is none of it. */
function useReading(read: PolicyText, scenario: Scenario): ScenarioReading {
  const { observedBy, figures, observation, settings, memory } = scenario;
  return useMemo(
    () =>
      readObservation(read, {
        observedBy,
        figures,
        observation: observation.slice(0, maximumObservationCharacters),
        settings,
        memory,
      }),
    [read, observedBy, figures, observation, settings, memory],
  );
}

/** The newest value that there was: what is shown stays while something is typed that cannot be read yet. */
function useLatest<T>(value: T | undefined): T | undefined {
  const [latest, setLatest] = useState(value);
  if (value !== undefined && value !== latest) setLatest(value);
  return value ?? latest;
}

interface ResultsProps {
  readonly decided: Extract<ScenarioReading, { kind: 'Decided' }>['evaluated'] | undefined;
  readonly run: RunState | undefined;
  readonly children: ReactElement;
}

function Results({ decided, run, children }: ResultsProps): ReactElement {
  const [chosen, setChosen] = useState<RunChange | undefined>();
  const shown = shownRun(run);
  // A change of an earlier run is none of this one's.
  const change = shown?.changes.find((each) => each === chosen);
  return (
    <>
      <Panel title={texts.decided.title}>
        {change === undefined || shown === undefined ? null : (
          <p role="status">
            {texts.run.of(afterText(shown, change.index))}.{' '}
            <button type="button" className="link" onClick={() => setChosen(undefined)}>
              {texts.run.clear}
            </button>
          </p>
        )}
        <Decided decided={decided} change={change} />
      </Panel>
      <Panel title={texts.run.title}>
        {children}
        <RunNote run={run} />
        {shown === undefined || decided === undefined ? null : (
          <RunView run={shown} policy={decided.input.policy} chosen={change} onChoose={setChosen} />
        )}
      </Panel>
    </>
  );
}

interface DecidedProps {
  readonly decided: ResultsProps['decided'];
  readonly change: RunChange | undefined;
}

/** The decision on the observation, or that of a change during the run. */
function Decided({ decided, change }: DecidedProps): ReactElement {
  if (decided === undefined) return <p className="quiet">{texts.decided.none}</p>;
  const { minReplicas: minimum, maxReplicas: maximum } = decided.input.policy;
  return <Waterfall {...(change?.decision ?? decided.output.decision)} bounds={{ minimum, maximum }} />;
}

function RunNote({ run }: { readonly run: RunState | undefined }): ReactElement | null {
  if (run?.kind === 'Refused') {
    return (
      <p className="problem" role="alert">
        {texts.run.tooManyPasses(run.problem.passes, run.problem.most)}
      </p>
    );
  }
  return run?.kind === 'Running' && run.before === undefined ? (
    <p role="status">{texts.run.running}</p>
  ) : null;
}

function shownRun(run: RunState | undefined): Extract<RunState, { kind: 'Done' }>['run'] | undefined {
  if (run?.kind === 'Done') return run.run;
  return run?.kind === 'Running' ? run.before : undefined;
}
