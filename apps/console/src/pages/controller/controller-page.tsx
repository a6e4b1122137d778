import type { ReactElement } from 'react';
import { numberRanges } from '#kernel';
import { useAnswer } from '../../api/use-answer.ts';
import { Panel } from '../../components/frames/panel.tsx';
import { Degradations } from '../../components/states/degradations.tsx';
import { EmptyState } from '../../components/states/empty-state.tsx';
import { SeverityShape } from '../../components/states/state-badge.tsx';
import { Timestamp } from '../../components/time/timestamp.tsx';
import { controller as texts } from '../../messages/controller.ts';
import { ControllerPageDocument, type ControllerPageQuery } from './controller.generated.ts';
import { ReplicaRow } from './replica-row.tsx';

import './controller.css';

const query = { document: ControllerPageDocument, variables: {} };

/** The controller itself: what of it does not work, and which of its processes carries what out. */
export default function ControllerPage(): ReactElement {
  const answer = useAnswer(query.document, query.variables, { everySeconds: 5 });
  const { degraded = [] } = answer.data ?? {};
  return (
    <>
      <h1>{texts.title}</h1>
      <Panel title={texts.health} answer={answer} query={query}>
        {degraded.length === 0 ? <p>{texts.allWell}</p> : <Degradations degraded={degraded} isLong />}
      </Panel>
      <Panel title={texts.replicas} answer={answer} query={query}>
        {answer.data === undefined ? null : <Replicas {...answer.data} />}
      </Panel>
    </>
  );
}

function Replicas({ replicas, shards }: ControllerPageQuery): ReactElement {
  if (replicas.length === 0)
    return <EmptyState title={texts.noReplica.title}>{texts.noReplica.text}</EmptyState>;
  const left = shards.filter(({ holder }) => holder === null).map(({ shard }) => shard);
  const held = shards.length - left.length;
  const alone = replicas.find(({ aloneBecause }) => aloneBecause !== null)?.aloneBecause ?? null;
  return (
    <>
      <p className="controller-held">
        <strong>{held}</strong>
        {held === shards.length ? null : <span className="controller-of">{texts.of(shards.length)}</span>}
        <span className="quiet">
          {texts.held(shards.length)}
          <br />
          {texts.by(replicas.length)}
        </span>
      </p>
      <p className="quiet">{alone === null ? texts.sharing : texts.alone(alone)}</p>
      <KnownFrom replica={replicas[0]} />
      {left.length === 0 ? null : (
        <p className="problem" role="alert">
          <SeverityShape severity="critical" />
          {texts.notHeld(texts.shards(numberRanges(left), left.length))}
        </p>
      )}
      <ul className="controller-replicas">
        {replicas.map((replica) => (
          <ReplicaRow key={replica.id} replica={replica} shards={shards} />
        ))}
      </ul>
    </>
  );
}

/** While the database does not answer: what is said comes from elsewhere, and is of a moment ago. */
function KnownFrom({
  replica,
}: {
  readonly replica: ControllerPageQuery['replicas'][number] | undefined;
}): ReactElement | null {
  if (replica === undefined || replica.knownFrom === 'Database') return null;
  return (
    <p className="problem" role="alert">
      <SeverityShape severity="attention" />
      <span>
        {texts.knownFrom[replica.knownFrom]} <Timestamp time={replica.asOf} form="ago" />
      </span>
    </p>
  );
}
