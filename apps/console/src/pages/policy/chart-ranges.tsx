import type { ReactElement } from 'react';
import { serverNow } from '../../api/server-time.ts';
import { policy } from '../../messages/policy.ts';
import { type ChosenSpan, spanHours, type SpanStep, stepSpan } from './chart-span.ts';
import type { AskedSpan } from './use-chart-span.ts';

const texts = policy.chart;

const steps: readonly (readonly [SpanStep, sign: string])[] = [
  ['Earlier', '‹'],
  ['Later', '›'],
  ['Closer', '+'],
  ['Further', '−'],
];

/** The time that is shown: the last hours, or a step from what is, for who does not drag. */
export function ChartRanges({ span: { chosen, isPart, from, until }, onChoose }: RangesProps): ReactElement {
  const step = (kind: SpanStep): void => {
    const now = serverNow();
    const shown = { from: Date.parse(from), until: until === null ? now : Date.parse(until) };
    onChoose(stepSpan(shown, kind, now));
  };
  return (
    <>
      <span className="time-ranges" role="group" aria-label={texts.ranges}>
        {spanHours.map((hours) => (
          <button
            key={hours}
            type="button"
            aria-pressed={chosen.kind !== 'Times' && !isPart && chosen.hours === hours}
            onClick={() => onChoose({ kind: 'Hours', hours })}
          >
            {texts.hours(hours)}
          </button>
        ))}
      </span>
      <span className="time-ranges" role="group" aria-label={texts.steps}>
        {steps.map(([kind, sign]) => (
          <button
            key={kind}
            type="button"
            title={texts.step[kind]}
            aria-label={texts.step[kind]}
            // There is no later than the present.
            disabled={kind === 'Later' && until === null}
            onClick={() => step(kind)}
          >
            {sign}
          </button>
        ))}
      </span>
    </>
  );
}

interface RangesProps {
  readonly span: AskedSpan;
  readonly onChoose: (span: ChosenSpan) => void;
}
