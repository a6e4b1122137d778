import type { ReactElement } from 'react';
import { Link } from 'react-router';
import { useAnswer } from '../../api/use-answer.ts';
import { Panel } from '../../components/frames/panel.tsx';
import { Timestamp } from '../../components/time/timestamp.tsx';
import { decision as texts } from '../../messages/decision.ts';
import { links } from '../../navigation/links.ts';
import {
  DecisionNeighboursDocument,
  type DecisionNeighboursQuery,
  type NeighbourPartsFragment,
} from './decision.generated.ts';

/** What was decided for the policy before this decision and after it, newest first. */
export function Neighbours({ decision }: NeighboursProps): ReactElement {
  const variables = { ...decision.policy, time: decision.time };
  const answer = useAnswer(DecisionNeighboursDocument, variables);
  const around = answer.data?.decisionsAround;
  return (
    <Panel
      title={texts.neighbours.title}
      answer={answer}
      query={{ document: DecisionNeighboursDocument, variables }}
    >
      <ol className="neighbours" aria-label={texts.neighbours.label}>
        {around === undefined ? null : <Lines around={around} id={decision.id} />}
      </ol>
    </Panel>
  );
}

interface NeighboursProps {
  readonly decision: {
    readonly id: string;
    readonly time: string;
    readonly policy: { readonly namespace: string; readonly name: string };
  };
}

type Around = DecisionNeighboursQuery['decisionsAround'];

function Lines({ around, id }: { readonly around: Around; readonly id: string }): ReactElement {
  const { before, after, run } = around;
  return (
    <>
      {[...after.toReversed(), ...before].map((neighbour) => (
        <Neighbour
          key={neighbour.id}
          neighbour={neighbour}
          isHere={neighbour.id === id}
          run={neighbour.id === before[0]?.id ? run : null}
        />
      ))}
    </>
  );
}

interface NeighbourProps {
  readonly neighbour: NeighbourPartsFragment;
  readonly isHere: boolean;
  /** Passes that repeated it. */
  readonly run: Around['run'];
}

function Neighbour({ neighbour, isHere, run }: NeighbourProps): ReactElement {
  const { id, time, currentReplicas, desiredReplicas, reason } = neighbour;
  return (
    <li className="neighbour" aria-current={isHere ? 'true' : undefined}>
      <Timestamp time={time} form="time" />
      <span className="neighbour-count">
        {currentReplicas === desiredReplicas ? null : `${currentReplicas ?? texts.unknown} → `}
        <strong>{desiredReplicas ?? texts.unknown}</strong>
      </span>
      <span>
        {isHere ? reason : <Link to={links.decision(id)}>{reason}</Link>}
        {isHere ? <span className="quiet"> · {texts.neighbours.here}</span> : null}
        {run === null ? null : (
          <span className="neighbour-run quiet">
            {texts.neighbours.repeated(run.count)} <Timestamp time={run.last} form="time" />
          </span>
        )}
      </span>
    </li>
  );
}
