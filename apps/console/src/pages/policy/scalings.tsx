import type { ReactElement } from 'react';
import { Link } from 'react-router';
import { Timestamp } from '../../components/time/timestamp.tsx';
import { policy } from '../../messages/policy.ts';
import { links } from '../../navigation/links.ts';
import type { PolicyHistoryQuery } from './policy.generated.ts';

const texts = policy.scalings;

type Scaling = NonNullable<PolicyHistoryQuery['policy']>['scalingEvents']['edges'][number]['node'];

/** The changes of the count, newest first: ours and others', each with why and by which commit. */
export function Scalings({ scalings, source }: ScalingsProps): ReactElement {
  if (scalings.length === 0) return <p className="quiet">{texts.none}</p>;
  return (
    <div className="scroll-across">
      <table className="scalings">
        <thead>
          <tr>
            <th scope="col">{texts.time}</th>
            <th scope="col">{texts.count}</th>
            <th scope="col">{texts.reason}</th>
            <th scope="col">{texts.commit}</th>
          </tr>
        </thead>
        <tbody>
          {scalings.map((scaling) => (
            <ScalingRow key={scaling.id} scaling={scaling} source={source} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface ScalingsProps {
  readonly scalings: readonly Scaling[];
  readonly source: string;
}

/** An operator named the count, or the bound that it was corrected to (`Override by ann: incident 7`): no commit did. */
function isByOperator(reason: string): boolean {
  return reason === 'Override' || reason.startsWith('Override by ');
}

interface RowProps {
  readonly scaling: Scaling;
  readonly source: string;
}

function ScalingRow({ scaling, source }: RowProps): ReactElement {
  const { time, from, to, reason, decisionId, commit } = scaling;
  return (
    <tr data-way={to > from ? 'up' : 'down'}>
      <td className="scalings-time">
        <Timestamp time={time} />
      </td>
      <td className="scalings-count">
        <Way isUp={to > from} /> {from} → <strong>{to}</strong>
      </td>
      <td>
        {decisionId === null ? reason : <Link to={links.decision(decisionId)}>{reason}</Link>}
        <Writer scaling={scaling} />
      </td>
      <td>
        {commit === null || isByOperator(reason) ? null : (
          <>
            <Link to={links.revision(source, commit.hash)}>
              <code>{commit.hash.slice(0, 7)}</code>
            </Link>{' '}
            {commit.subject}
          </>
        )}
      </td>
    </tr>
  );
}

/** Said where it was not this controller. */
function Writer({ scaling: { origin, manager } }: Pick<RowProps, 'scaling'>): ReactElement | null {
  return origin === 'Plimsoll' ? null : <span className="quiet"> · {texts.by(manager ?? texts.others)}</span>;
}

function Way({ isUp }: { readonly isUp: boolean }): ReactElement {
  return (
    <svg className="shape" viewBox="0 0 10 10" width="0.5625rem" height="0.5625rem" aria-hidden="true">
      <path d={isUp ? 'M5 1 9 9H1Z' : 'M5 9 1 1h8Z'} />
    </svg>
  );
}
