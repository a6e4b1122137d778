import { type ReactElement, Suspense, useId, useMemo, useRef } from 'react';
import type { EffectivePolicy } from '#policy';
import { Panel } from '../../components/frames/panel.tsx';
import { lazyPart } from '../../components/states/lazy-part.tsx';
import { TimeField } from '../../components/time/time-field.tsx';
import { metricName } from '../../evaluation/knobs.ts';
import { playground } from '../../messages/playground.ts';
import type { EditorHandle, EditorMark } from './code-editor.tsx';
import { formFor, maximumFormReplicas, type ObservationForm, observationOf } from './form-observation.ts';
import type { ObservationProblem } from './read-observation.ts';
import type { Scenario } from './scenario.ts';

const CodeEditor = lazyPart(() => import('./code-editor.tsx'));

const texts = playground.observation;

interface ObservationEditorProps {
  readonly scenario: Scenario;
  /** Undefined: none could be read yet. */
  readonly policy: EffectivePolicy | undefined;
  readonly problem: ObservationProblem | undefined;
  readonly onChange: (change: Partial<Scenario>) => void;
}

/** What was seen: in a few figures, or as JSON. */
export function ObservationEditor({
  scenario,
  policy,
  problem,
  onChange,
}: ObservationEditorProps): ReactElement {
  const { observedBy } = scenario;
  const name = useId();
  const choose = (chosen: Scenario['observedBy']): void => {
    const made =
      policy === undefined ? undefined : observationOf(scenario.figures ?? formFor(policy), policy);
    const isFirst = chosen === 'Json' && scenario.observation === '' && made !== undefined;
    onChange({ observedBy: chosen, ...(isFirst && { observation: JSON.stringify(made, null, 2) }) });
  };
  return (
    <Panel title={texts.title}>
      <div className="playground-choice" role="radiogroup" aria-label={texts.how}>
        {(['Figures', 'Json'] as const).map((each) => (
          <label key={each} className="check">
            <input type="radio" name={name} checked={observedBy === each} onChange={() => choose(each)} />
            {each === 'Figures' ? texts.form : texts.json}
          </label>
        ))}
      </div>
      {observedBy === 'Json' ? (
        <JsonEditor
          value={scenario.observation}
          problem={problem}
          onChange={(observation) => onChange({ observation })}
        />
      ) : (
        <Figures scenario={scenario} policy={policy} onChange={(figures) => onChange({ figures })} />
      )}
      {problem === undefined ? null : <ProblemLine problem={problem} />}
      {policy !== undefined && policy.schedules.length + policy.freezes.length > 0 ? (
        <p className="quiet">{texts.windows}</p>
      ) : null}
    </Panel>
  );
}

function ProblemLine({
  problem: { line, field, message, hint },
}: {
  readonly problem: ObservationProblem;
}): ReactElement {
  return (
    <p className="problem" role="alert">
      {line === undefined ? null : <span>{line}:</span>} {field === '' ? null : <code>{field}</code>}{' '}
      {message}{' '}
      <span className="quiet">
        {playground.policy.hint} {hint}
      </span>
    </p>
  );
}

interface JsonEditorProps {
  readonly value: string;
  readonly problem: ObservationProblem | undefined;
  readonly onChange: (value: string) => void;
}

function JsonEditor({ value, problem, onChange }: JsonEditorProps): ReactElement {
  const editor = useRef<EditorHandle>(null);
  const marks = useMemo((): readonly EditorMark[] => {
    if (problem?.line === undefined) return [];
    return [{ line: problem.line, column: 1, severity: 'error', message: problem.message }];
  }, [problem]);
  return (
    <div className="playground-editor">
      <Suspense fallback={<div className="skeleton" role="status" aria-label={playground.loadingEditor} />}>
        <CodeEditor
          ref={editor}
          label={texts.label}
          language="json"
          value={value}
          marks={marks}
          onChange={onChange}
        />
      </Suspense>
    </div>
  );
}

interface FiguresProps {
  readonly scenario: Scenario;
  readonly policy: EffectivePolicy | undefined;
  readonly onChange: (figures: ObservationForm) => void;
}

function Figures({ scenario, policy, onChange }: FiguresProps): ReactElement {
  if (policy === undefined) return <p className="quiet">{texts.waits}</p>;
  const suggested = formFor(policy);
  const figures = scenario.figures ?? suggested;
  const { replicas, ready, request } = figures;
  const measured = policy.metrics.map(
    (_, index) => figures.measured[index] ?? suggested.measured[index] ?? '',
  );
  const set = (change: Partial<ObservationForm>): void => onChange({ ...figures, measured, ...change });
  return (
    <div className="playground-fields">
      <TimeField title={texts.time} time={figures.time} onTime={(time) => set({ time })} />
      <CountField
        label={texts.replicas}
        value={replicas}
        onChange={(count) => set({ replicas: count, ready: count })}
      />
      <CountField
        label={texts.ready}
        value={ready}
        most={replicas}
        onChange={(count) => set({ ready: Math.min(count, replicas) })}
      />
      {policy.metrics.some((metric) => 'resource' in metric) ? (
        <TextField label={texts.request} value={request} onChange={(text) => set({ request: text })} />
      ) : null}
      {policy.metrics.map((metric, index) => {
        const isOfPods = 'resource' in metric || metric.type === 'Pods';
        const label = texts.measured[isOfPods ? 'perPod' : 'value'](metricName(metric));
        return (
          <TextField
            // Metrics can be alike; they never change places.
            key={`${index} ${label}`}
            label={label}
            value={measured[index] ?? ''}
            onChange={(text) => set({ measured: measured.with(index, text) })}
          />
        );
      })}
    </div>
  );
}

interface CountProps {
  readonly label: string;
  readonly value: number;
  readonly most?: number;
  readonly onChange: (value: number) => void;
}

/** A whole number within its limits; what is no number is not taken. */
export function CountField({ label, value, most = maximumFormReplicas, onChange }: CountProps): ReactElement {
  return (
    <label className="labelled">
      {label}
      <input
        className="field"
        type="number"
        min={0}
        max={most}
        value={value}
        onChange={({ target }) => {
          const count = Math.round(target.valueAsNumber);
          if (Number.isFinite(count)) onChange(Math.min(most, Math.max(0, count)));
        }}
      />
    </label>
  );
}

interface TextProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function TextField({ label, value, onChange }: TextProps): ReactElement {
  return (
    <label className="labelled">
      {label}
      <input
        className="field"
        maxLength={100}
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
    </label>
  );
}
