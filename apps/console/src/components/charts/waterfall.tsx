import type { ReactElement } from 'react';
import { withRequestUnit } from '#decision/request-unit';
import { decision as texts } from '../../messages/decision.ts';
import { Sentence } from '../words/sentence.tsx';

import './waterfall.css';

/** A rule that was consulted. */
export interface WaterfallStep {
  readonly rule: string;
  readonly before: number | null;
  readonly after: number | null;
  readonly because: string;
}

/** How a count came about. */
export interface WaterfallProps {
  /** Null: it could not be read. */
  readonly currentReplicas: number | null;
  readonly desiredReplicas: number | null;
  readonly steps: readonly WaterfallStep[];
  /** The policy's own; undefined: they are not known. */
  readonly bounds: { readonly minimum: number; readonly maximum: number } | undefined;
  /** Those that it came about by: what is requested of a resource has its unit. */
  readonly metrics?: readonly { readonly name: string; readonly type: string }[];
  /** Another waterfall that this one is held against: where its counts were others, they are shown, too. */
  readonly recorded?: Pick<WaterfallProps, 'currentReplicas' | 'desiredReplicas' | 'steps'>;
}

/** A maximum that is further off than this would leave no room for what happens. */
const maximumShare = 4;

/** Counts end before the right edge, so that marks and their lines have room. */
const room = 1.06;

/**
 * The steps from the present count to the desired one, on one scale: each as a bar from the count before the rule to the
 * count after it, with the load line's mark at its end, and the rule's sentence. Bounds are lines through all of them.
 */
export function Waterfall(props: WaterfallProps): ReactElement {
  const { currentReplicas, desiredReplicas, steps, bounds, metrics = [], recorded } = props;
  const scale = scaleOf(props);
  const compared = steps.map(comparisonWith(recorded?.steps));
  return (
    <ol className="waterfall">
      <li className="waterfall-step" data-end="true">
        <span className="waterfall-rule">{texts.present}</span>
        <Figure after={currentReplicas} was={recorded?.currentReplicas} />
        <Track scale={scale} before={null} after={currentReplicas} was={recorded?.currentReplicas} />
      </li>
      {steps.map(({ rule, before, after, because }, index) => (
        // A rule can be consulted more than once; steps never change places.
        <li key={`${index} ${rule}`} className="waterfall-step" data-way={wayOf(before, after)}>
          <code className="waterfall-rule">{rule}</code>
          <Figure before={before} after={after} was={compared[index]?.was} isNew={compared[index]?.isNew} />
          <Track scale={scale} before={before} after={after} was={compared[index]?.was} />
          <p className="waterfall-because">
            <Sentence text={withRequestUnit(because, metrics)} />
          </p>
        </li>
      ))}
      <li className="waterfall-step" data-end="true" data-desired="true">
        <span className="waterfall-rule">{texts.desired}</span>
        <Figure after={desiredReplicas} was={recorded?.desiredReplicas} />
        <Track scale={scale} before={null} after={desiredReplicas} was={recorded?.desiredReplicas} />
        <p className="waterfall-because quiet">
          {steps.length === 0 ? `${texts.noSteps} ` : ''}
          {bounds === undefined ? '' : `${texts.bounds(bounds.minimum, bounds.maximum)}. `}
          {texts.scale(Math.round(scale.most))}.
        </p>
      </li>
    </ol>
  );
}

interface Scale {
  readonly most: number;
  readonly lines: readonly number[];
}

function scaleOf({ bounds, recorded, ...own }: WaterfallProps): Scale {
  const counts = [...countsOf(own), ...(recorded === undefined ? [] : countsOf(recorded))];
  const highest = Math.max(1, ...counts.map((count) => count ?? 0));
  const lines = bounds === undefined ? [] : [bounds.minimum, bounds.maximum];
  const seen = lines.filter((line) => line <= highest * maximumShare);
  // A count at the end of its line is one at its maximum: of a maximum that is too far away, the count is not there.
  const end = seen.length === lines.length ? highest : 2 * highest;
  return { most: Math.max(end, ...seen), lines: seen };
}

type Counts = Pick<WaterfallProps, 'currentReplicas' | 'desiredReplicas' | 'steps'>;

function countsOf({ currentReplicas, desiredReplicas, steps }: Counts): readonly (number | null)[] {
  return [currentReplicas, desiredReplicas, ...steps.flatMap(({ before, after }) => [before, after])];
}

interface Comparison {
  /** The count after the same rule in the other waterfall; undefined: it was not consulted. */
  readonly was: number | null | undefined;
  readonly isNew: boolean;
}

/** A rule can be consulted more than once: each is held against the one of its turn. */
function comparisonWith(
  recorded: readonly WaterfallStep[] | undefined,
): (step: WaterfallStep) => Comparison | undefined {
  if (recorded === undefined) return () => undefined;
  const rest = [...recorded];
  return ({ rule }) => {
    const index = rest.findIndex((step) => step.rule === rule);
    const [found] = index < 0 ? [] : rest.splice(index, 1);
    return { was: found?.after, isNew: found === undefined };
  };
}

type Way = 'up' | 'down' | 'none';

function wayOf(before: number | null, after: number | null): Way {
  if (before === null || after === null || before === after) return 'none';
  return after > before ? 'up' : 'down';
}

/** `3 → 10`, or one count where nothing changes. */
function Figure({ before, after, was, isNew = false }: FigureProps): ReactElement {
  const isMove = before !== undefined && before !== after;
  const isOther = was !== undefined && was !== after;
  return (
    <span className="waterfall-figure">
      {isMove ? <Arrow way={wayOf(before, after)} /> : null}
      {isMove ? <span className="quiet">{textOf(before)} → </span> : null}
      <strong>{textOf(after)}</strong>
      {isOther || isNew ? (
        <span className="waterfall-was">{isOther ? texts.was(textOf(was)) : texts.newStep}</span>
      ) : null}
    </span>
  );
}

/** Which way, also for who does not tell the colours apart; the figures say it to who sees none. */
function Arrow({ way }: { readonly way: Way }): ReactElement | null {
  return way === 'none' ? null : (
    <span className="waterfall-arrow" aria-hidden="true">
      {way === 'up' ? '▲' : '▼'}
    </span>
  );
}

interface FigureProps {
  readonly before?: number | null;
  readonly after: number | null;
  readonly was?: number | null | undefined;
  readonly isNew?: boolean | undefined;
}

function textOf(count: number | null): string {
  return count === null ? texts.unknown : String(count);
}

/** One step on the scale. Percentages, so that it is as wide as there is room. */
function Track({ scale, before, after, was }: TrackProps): ReactElement {
  const at = (count: number): string => `${(100 * count) / (scale.most * room)}%`;
  return (
    <svg
      className="waterfall-track"
      width="100%"
      height="24"
      role="img"
      aria-label={texts.stepLabel(textOf(before ?? after), textOf(after))}
    >
      <line className="waterfall-axis" x1="0" x2="100%" y1="12" y2="12" />
      {scale.lines.map((line, index) => (
        // The two can be the same count.
        <line
          key={`${index} ${line}`}
          className="waterfall-bound"
          x1={at(line)}
          x2={at(line)}
          y1="0"
          y2="24"
        />
      ))}
      {was === undefined || was === null || was === after ? null : (
        <circle className="waterfall-ghost" cx={at(was)} cy="12" r="5" />
      )}
      {after === null ? null : (
        <>
          {before === null ? null : (
            <>
              <line className="waterfall-bar" x1={at(before)} x2={at(after)} y1="12" y2="12" />
              <line className="waterfall-from" x1={at(before)} x2={at(before)} y1="6" y2="18" />
            </>
          )}
          <line className="waterfall-load" x1={at(after)} x2={at(after)} y1="2" y2="22" />
          <circle className="waterfall-mark" cx={at(after)} cy="12" r="5" />
        </>
      )}
    </svg>
  );
}

interface TrackProps {
  readonly scale: Scale;
  readonly before: number | null;
  readonly after: number | null;
  readonly was?: number | null | undefined;
}
