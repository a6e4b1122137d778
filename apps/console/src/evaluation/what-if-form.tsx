import { type ReactElement, useId } from 'react';
import type { Json, JsonObject } from '#kernel';
import type { EffectivePolicy } from '#policy';
import { evaluation } from '../messages/evaluation.ts';
import { changedInput, type Changes, maximumLoadPercent } from './changes.ts';
import { type Knob, knobsOf } from './knobs.ts';
import { type ObservedPodRow, observedPods } from './observed-pods.ts';

const texts = evaluation.whatIf;

/** A value to change: the load as a whole, or one place of the input. */
export interface KnobChange {
  readonly loadPercent?: number;
  readonly set?: { readonly pointer: string; readonly recorded: Json; readonly value: Json };
}

interface FormProps {
  readonly input: JsonObject;
  readonly policy: EffectivePolicy;
  readonly changes: Changes;
  readonly onChange: (change: KnobChange) => void;
  readonly onReset: () => void;
}

const groups = ['Count', 'Target', 'Measured', 'Behavior'] as const;

/** Every value that can be changed. */
export function WhatIfForm({ input, policy, changes, onChange, onReset }: FormProps): ReactElement {
  // What is measured is what was recorded under the load that is asked for.
  const loaded = changedInput(input, { ...changes, values: new Map() });
  const knobs = knobsOf(loaded, policy);
  const pods = observedPods(loaded, policy);
  const set = (pointer: string, recorded: Json) => (value: Json) =>
    onChange({ set: { pointer, recorded, value } });
  return (
    <div className="what-if-form" role="group" aria-label={texts.form}>
      <LoadField percent={changes.loadPercent} onChange={(loadPercent) => onChange({ loadPercent })} />
      {groups.map((group) => {
        const own = knobs.filter((knob) => knob.group === group);
        return own.length === 0 ? null : (
          <details key={group} open={group !== 'Behavior'}>
            <summary>{texts.groups[group]}</summary>
            <div className="knobs">
              {own.map((knob) => (
                <KnobField
                  key={knob.pointer}
                  knob={knob}
                  changed={changes.values.get(knob.pointer)}
                  onChange={set(knob.pointer, knob.value)}
                />
              ))}
            </div>
          </details>
        );
      })}
      {pods.count === 0 ? null : (
        <details>
          <summary>{texts.pods(pods.count)}</summary>
          <PodTable rows={pods.rows} changes={changes} set={set} />
          {pods.count > pods.rows.length ? (
            <p className="quiet">{texts.otherPods(pods.count - pods.rows.length)}</p>
          ) : null}
        </details>
      )}
      <button type="button" className="button" onClick={onReset}>
        {texts.reset}
      </button>
    </div>
  );
}

function LoadField({ percent, onChange }: LoadProps): ReactElement {
  const id = useId();
  return (
    <div className="knob-load">
      <label htmlFor={id}>{texts.load}</label>
      <input
        type="range"
        aria-label={texts.load}
        min={0}
        max={Math.max(300, percent)}
        step={5}
        value={percent}
        onChange={({ target }) => onChange(Number(target.value))}
      />
      <input
        id={id}
        className="field"
        type="number"
        min={0}
        max={maximumLoadPercent}
        value={percent}
        onChange={({ target }) => onChange(Math.min(maximumLoadPercent, Math.max(0, Number(target.value))))}
      />
    </div>
  );
}

interface LoadProps {
  readonly percent: number;
  readonly onChange: (percent: number) => void;
}

function KnobField({ knob: { of, field, value }, changed, onChange }: KnobProps): ReactElement {
  const id = useId();
  return (
    <div className="knob" data-changed={changed !== undefined}>
      <label htmlFor={id}>
        {of === '' ? null : <span className="quiet">{of} </span>}
        {texts.fields[field] ?? field}
      </label>
      <ValueInput id={id} recorded={value} changed={changed} onChange={onChange} />
    </div>
  );
}

interface KnobProps {
  readonly knob: Knob;
  readonly changed: Json | undefined;
  readonly onChange: (value: Json) => void;
}

/** A number stays one while it reads as one; anything else is shown to be no input. */
function ValueInput({ recorded, changed, id, label, onChange }: ValueProps): ReactElement {
  const shown = changed ?? recorded;
  const text = typeof shown === 'string' || typeof shown === 'number' ? String(shown) : JSON.stringify(shown);
  return (
    <>
      <input
        id={id}
        className="field"
        inputMode={typeof recorded === 'number' ? 'decimal' : 'text'}
        aria-label={label}
        value={text}
        onChange={({ target }) => onChange(valueOf(target.value, recorded))}
      />
      {changed === undefined ? null : <span className="knob-was">{texts.was(String(recorded))}</span>}
    </>
  );
}

interface ValueProps {
  readonly recorded: string | number;
  readonly changed: Json | undefined;
  /** A label refers to it, or it has a name of its own. */
  readonly id?: string;
  readonly label?: string;
  readonly onChange: (value: Json) => void;
}

function valueOf(text: string, recorded: string | number): Json {
  const number = Number(text);
  return typeof recorded === 'number' && text.trim() !== '' && String(number) === text ? number : text;
}

function PodTable({ rows, changes, set }: PodTableProps): ReactElement {
  return (
    <div className="what-if-pods">
      <table className="evaluation-table">
        <thead>
          <tr>
            <th scope="col">{texts.pod}</th>
            <th scope="col">{texts.ready}</th>
            <th scope="col">{texts.usage}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, ready, usages }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>
                {ready === undefined ? null : (
                  <input
                    type="checkbox"
                    aria-label={texts.readyOf(name)}
                    checked={changes.values.has(ready.pointer) !== ready.isReady}
                    onChange={({ target }) =>
                      set(
                        ready.pointer,
                        ready.recorded,
                      )(target.checked === ready.isReady ? ready.recorded : ready.otherwise)
                    }
                  />
                )}
              </td>
              <td>
                {usages.map(({ pointer, of, container, value }) => (
                  <ValueInput
                    key={pointer}
                    label={texts.usageOf(of, name, container)}
                    recorded={value}
                    changed={changes.values.get(pointer)}
                    onChange={set(pointer, value)}
                  />
                ))}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface PodTableProps {
  readonly rows: readonly ObservedPodRow[];
  readonly changes: Changes;
  readonly set: (pointer: string, recorded: Json) => (value: Json) => void;
}
