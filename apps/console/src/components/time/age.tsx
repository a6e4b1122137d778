import type { ReactElement } from 'react';
import { useNow } from '../../api/clock.ts';
import { databaseUnavailable } from '../../api/problem.ts';
import type { Answer } from '../../api/use-answer.ts';
import { common } from '../../messages/common.ts';
import { durationText } from './duration.ts';

/** Beyond this what is shown is marked as stale, whatever the reason: four times missed, with the default interval. */
const staleMilliseconds = 60_000;

/** An attempt that takes longer is said to be slow. */
const slowMilliseconds = 4_000;

/** How old what a panel shows is, and why it is not younger. */
export function Age({ of, isSaid = false }: AgeProps): ReactElement {
  const { receivedAt, problem, isLasting, isAsking, refresh } = of;
  const { monotonic } = useNow();
  const age = Math.max(0, monotonic - (receivedAt ?? monotonic));
  const isStale = problem !== undefined || (isLasting !== true && age > staleMilliseconds);
  const isSlow = isAsking && age > staleMilliseconds + slowMilliseconds;
  const why = isSaid ? '' : reasonOf(problem, isSlow);
  return (
    <span className="age" data-stale={isStale} role="status">
      {receivedAt === undefined ? common.age.never : textOf(age)}
      {isStale ? <Stale isKnown={isWholeKnown(of)} why={why} onAgain={refresh} /> : null}
    </span>
  );
}

/** What the database does not answer is told of above the page. */
function reasonOf(problem: Answer<unknown>['problem'], isSlow: boolean): string {
  if (problem !== undefined)
    return problem.code === databaseUnavailable ? common.age.noDatabase : problem.message;
  return isSlow ? common.age.slow : '';
}

function isWholeKnown({ receivedAt, isPart }: AgeProps['of']): boolean {
  return receivedAt !== undefined && isPart !== true;
}

function Stale({ isKnown, why, onAgain }: StaleProps): ReactElement {
  return (
    <>
      {isKnown ? <strong>{common.age.stale}</strong> : null}
      <span>{why}</span>
      <button type="button" className="link" onClick={onAgain}>
        {common.age.retry}
      </button>
    </>
  );
}

interface StaleProps {
  /** What was never loaded is not stale, and neither is what has just come without all of it. */
  readonly isKnown: boolean;
  readonly why: string;
  readonly onAgain: () => void;
}

interface AgeProps {
  /** Why it is not younger is said already where it stands. */
  readonly isSaid?: boolean;
  readonly of: Pick<Answer<unknown>, 'receivedAt' | 'problem' | 'isAsking' | 'refresh'> &
    Partial<Pick<Answer<unknown>, 'isLasting' | 'isPart'>>;
}

function textOf(age: number): string {
  return age < 2_000 ? common.age.now : common.age.asOf(durationText(age));
}
