import { type ReactElement, useId } from 'react';
import { playground } from '../../messages/playground.ts';
import {
  type CsvProblem,
  type LoadCurve,
  type LoadCurveKind,
  loadCurveKinds,
  maximumPercent,
} from './load-curve.ts';
import { CountField } from './observation-editor.tsx';
import { maximumMinutes } from './run-curve.ts';
import { maximumPodStartSeconds, type Scenario } from './scenario.ts';

const texts = playground.run;

interface CurveFormProps {
  readonly scenario: Scenario;
  readonly problem: CsvProblem | undefined;
  readonly onChange: (change: Partial<Scenario>) => void;
}

/** The load over time, and how long it lasts. */
export function CurveForm({ scenario, problem, onChange }: CurveFormProps): ReactElement {
  const { curve, minutes, podStartSeconds } = scenario;
  const set = (change: Partial<LoadCurve>): void => onChange({ curve: { ...curve, ...change } });
  return (
    <>
      <div className="playground-fields">
        <KindField kind={curve.kind} onChange={(kind) => set({ kind })} />
        {curve.kind === 'Csv' ? null : <CurveFields curve={curve} onChange={set} />}
        <CountField
          label={texts.minutes}
          value={minutes}
          most={maximumMinutes}
          onChange={(value) => onChange({ minutes: value })}
        />
        <CountField
          label={texts.podStart}
          value={podStartSeconds}
          most={maximumPodStartSeconds}
          onChange={(value) => onChange({ podStartSeconds: value })}
        />
      </div>
      {curve.kind === 'Csv' ? (
        <CsvField csv={curve.csv} problem={problem} onChange={(csv) => set({ csv })} />
      ) : null}
      <p className="quiet">{texts.percent}</p>
    </>
  );
}

function KindField({ kind, onChange }: KindProps): ReactElement {
  const id = useId();
  return (
    <div className="labelled">
      <label htmlFor={id}>{texts.curve}</label>
      <select
        id={id}
        className="field"
        value={kind}
        onChange={({ target }) => {
          const chosen = loadCurveKinds.find((each) => each === target.value);
          if (chosen !== undefined) onChange(chosen);
        }}
      >
        {loadCurveKinds.map((each) => (
          <option key={each} value={each}>
            {texts.kinds[each]}
          </option>
        ))}
      </select>
    </div>
  );
}

interface KindProps {
  readonly kind: LoadCurveKind;
  readonly onChange: (kind: LoadCurveKind) => void;
}

interface CsvFieldProps {
  readonly csv: string;
  readonly problem: CsvProblem | undefined;
  readonly onChange: (csv: string) => void;
}

function CsvField({ csv, problem, onChange }: CsvFieldProps): ReactElement {
  return (
    <>
      <label className="labelled">
        {texts.csv}
        <textarea
          className="field playground-csv"
          rows={6}
          spellCheck={false}
          value={csv}
          onChange={({ target }) => onChange(target.value)}
        />
      </label>
      {problem === undefined ? null : (
        <p className="problem" role="alert">
          {texts.csvProblem(problem.line, problem.field, problem.message)}{' '}
          <span className="quiet">
            {playground.policy.hint} {problem.hint}
          </span>
        </p>
      )}
    </>
  );
}

interface CurveFieldsProps {
  readonly curve: LoadCurve;
  readonly onChange: (change: Partial<LoadCurve>) => void;
}

function CurveFields({ curve, onChange }: CurveFieldsProps): ReactElement {
  const { kind, lowPercent, highPercent, atMinutes, forMinutes } = curve;
  const isDaily = kind === 'Daily';
  return (
    <>
      <CountField
        label={isDaily ? texts.low.Daily : texts.low.other}
        value={lowPercent}
        most={maximumPercent}
        onChange={(value) => onChange({ lowPercent: value })}
      />
      <CountField
        label={isDaily ? texts.high.Daily : kind === 'Spike' ? texts.high.Spike : texts.high.other}
        value={highPercent}
        most={maximumPercent}
        onChange={(value) => onChange({ highPercent: value })}
      />
      {isDaily ? null : (
        <CountField
          label={texts.at}
          value={atMinutes}
          most={maximumMinutes}
          onChange={(value) => onChange({ atMinutes: value })}
        />
      )}
      {kind === 'Ramp' || kind === 'Spike' ? (
        <CountField
          label={texts.length}
          value={forMinutes}
          most={maximumMinutes}
          onChange={(value) => onChange({ forMinutes: value })}
        />
      ) : null}
    </>
  );
}
