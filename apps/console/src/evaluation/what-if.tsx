import { type ReactElement, useEffect, useMemo, useState } from 'react';
import { Link, useLocation, useSearchParams } from 'react-router';
import { isJsonObject, type Json, type JsonObject } from '#kernel';
import { Waterfall, type WaterfallProps } from '../components/charts/waterfall.tsx';
import { Timestamp } from '../components/time/timestamp.tsx';
import { evaluation } from '../messages/evaluation.ts';
import { links } from '../navigation/links.ts';
import { changedInput, type Changes, noChanges, readChanges, withChange, writeChanges } from './changes.ts';
import type { RecordedDecisionFragment } from './decision-record.generated.ts';
import { evaluate, type Evaluated } from './evaluate.ts';
import { type KnobChange, WhatIfForm } from './what-if-form.tsx';

const texts = evaluation.whatIf;

/** Browsers refuse addresses that are replaced faster, as a slider would. */
const addressMilliseconds = 300;

interface WhatIfProps {
  readonly record: RecordedDecisionFragment;
}

/** The decision as it would have been: computed here, with every change, and held against the recorded one. */
export function WhatIf({ record }: WhatIfProps): ReactElement {
  const input = useMemo(
    () => (isJsonObject(record.input as Json) ? (record.input as JsonObject) : {}),
    [record],
  );
  const [changes, setChanges] = useChanges();
  const recorded = useMemo(() => evaluate(input), [input]);
  const changed = useMemo(() => evaluate(changedInput(input, changes)), [input, changes]);
  if (recorded.kind === 'Unusable') return <Unusable of={recorded} />;
  const onChange = ({ loadPercent, set }: KnobChange): void => {
    if (loadPercent !== undefined) setChanges({ ...changes, loadPercent });
    if (set !== undefined) setChanges(withChange(changes, set, set.value));
  };
  return (
    <>
      <p className="quiet what-if-intro">
        {texts.intro} {texts.observed} <Timestamp time={record.time} /> (
        <Timestamp time={record.time} form="ago" />
        ). <Link to={links.playgroundOf(record.id)}>{texts.playground}</Link>
      </p>
      <div className="what-if">
        <WhatIfForm
          input={input}
          policy={recorded.input.policy}
          changes={changes}
          onChange={onChange}
          onReset={() => setChanges(noChanges)}
        />
        <section className="what-if-result" aria-label={texts.waterfall}>
          {changed.kind === 'Unusable' ? (
            <Unusable of={changed} />
          ) : (
            <Compared record={record} evaluated={changed} isChanged={isChange(changes)} />
          )}
        </section>
      </div>
    </>
  );
}

function isChange({ loadPercent, values }: Changes): boolean {
  return loadPercent !== 100 || values.size > 0;
}

/** The changes of the address, which follows them shortly after. */
function useChanges(): readonly [Changes, (changes: Changes) => void] {
  const [parameters, setParameters] = useSearchParams();
  const [changes, setChanges] = useState(() => readChanges(parameters));
  const written = writeChanges(parameters, changes).toString();
  const isWritten = written === parameters.toString();
  useEffect(() => {
    if (isWritten) return undefined;
    const timer = setTimeout(
      () => setParameters(new URLSearchParams(written), { replace: true }),
      addressMilliseconds,
    );
    return () => clearTimeout(timer);
  }, [isWritten, written, setParameters]);
  return [changes, setChanges];
}

function Unusable({
  of: { error },
}: {
  readonly of: Extract<Evaluated, { kind: 'Unusable' }>;
}): ReactElement {
  return (
    <p className="problem" role="alert">
      {texts.unusable} <code>{error.path}</code> {error.message}
    </p>
  );
}

interface ComparedProps {
  readonly record: RecordedDecisionFragment;
  readonly evaluated: Extract<Evaluated, { kind: 'Decided' }>;
  readonly isChanged: boolean;
}

function Compared({ record, evaluated, isChanged }: ComparedProps): ReactElement {
  const { pathname, search } = useLocation();
  const { policy } = evaluated.input;
  const { decision } = evaluated.output;
  const gone = rulesGone(record.steps, decision.steps);
  return (
    <>
      <p className="what-if-summary" role="status">
        {isChanged ? (
          <>
            <strong>{countText(record.desiredReplicas, decision.desiredReplicas)}</strong>{' '}
            {stepsText(record.steps, decision.steps)}. <span className="quiet">{decision.reason}</span>
          </>
        ) : (
          texts.unchanged
        )}
      </p>
      <Waterfall
        {...decision}
        bounds={{ minimum: policy.minReplicas, maximum: policy.maxReplicas }}
        recorded={record}
      />
      {gone.length === 0 ? null : (
        <p className="quiet">
          {texts.gone} <code>{gone.join(', ')}</code>
        </p>
      )}
      {isChanged ? <a href={`${pathname}${search}`}>{texts.link}</a> : null}
    </>
  );
}

type Steps = WaterfallProps['steps'];

/** Rules of the recorded decision that this one did not come to. */
function rulesGone(recorded: Steps, steps: Steps): readonly string[] {
  const rest = steps.map(({ rule }) => rule);
  return recorded.flatMap(({ rule }) => {
    const index = rest.indexOf(rule);
    if (index < 0) return [rule];
    rest.splice(index, 1);
    return [];
  });
}

function countText(before: number | null, after: number | null): string {
  const [recorded, changed] = [before ?? '?', after ?? '?'].map(String);
  return before === after
    ? texts.sameCount(changed ?? '?')
    : texts.otherCount(recorded ?? '?', changed ?? '?');
}

function stepsText(recorded: Steps, steps: Steps): string {
  const others = Array.from({ length: Math.max(recorded.length, steps.length) }, (_, index) => index).filter(
    (index) => {
      const [one, other] = [recorded[index], steps[index]];
      return one?.rule !== other?.rule || one?.before !== other?.before || one?.after !== other?.after;
    },
  ).length;
  return others === 0 ? texts.sameSteps : texts.otherSteps(others);
}
