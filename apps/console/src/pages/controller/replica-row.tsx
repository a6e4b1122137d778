import type { ReactElement } from 'react';
import { numberRanges } from '#kernel';
import { Timestamp } from '../../components/time/timestamp.tsx';
import { controller as texts } from '../../messages/controller.ts';
import type { ControllerPageQuery } from './controller.generated.ts';
import { holdingsOf, type ShardHolding } from './shard-holdings.ts';

interface ReplicaRowProps {
  readonly replica: ControllerPageQuery['replicas'][number];
  readonly shards: ControllerPageQuery['shards'];
}

/** A replica: what it is, where the others reach it, and what it holds since when. */
export function ReplicaRow({ replica, shards }: ReplicaRowProps): ReactElement {
  const { id, url, isLeader, isThis, version, since, seenAt } = replica;
  const holdings = holdingsOf(id, shards);
  return (
    <li className="controller-replica">
      <span className="controller-name">
        <code>{id}</code>
        {isLeader ? (
          <span className="badge" data-severity="operator" title={texts.leaderHint}>
            {texts.leader}
          </span>
        ) : null}
        {isThis ? <span className="badge">{texts.answers}</span> : null}
      </span>
      <span className="controller-url quiet">
        {url === null ? texts.noUrl : <code>{url}</code>}
        {version === null ? null : <span>{texts.version(version)}</span>}
        {since === null ? null : (
          <span>
            {texts.takesPart} <Timestamp time={since} form="ago" />
          </span>
        )}
        {seenAt === null || isThis ? null : (
          <span>
            {texts.seen} <Timestamp time={seenAt} form="ago" />
          </span>
        )}
      </span>
      <Strip id={id} shards={shards} />
      <ul className="controller-holdings">
        {holdings.map((holding) => (
          <li key={holding.shards.join()}>
            <Holding holding={holding} />
          </li>
        ))}
        {holdings.length === 0 ? <li className="quiet">{texts.noShard}</li> : null}
      </ul>
    </li>
  );
}

/** Which of all shards are its own, at a glance; beside it the same is said in words. */
function Strip({
  id,
  shards,
}: {
  readonly id: string;
  readonly shards: ReplicaRowProps['shards'];
}): ReactElement {
  return (
    <span className="controller-strip" aria-hidden="true">
      {shards.map(({ shard, holder }) => (
        <i key={shard} data-held={holder === id} />
      ))}
    </span>
  );
}

function Holding({ holding: { shards, since, epochs } }: { readonly holding: ShardHolding }): ReactElement {
  return (
    <>
      <strong>{texts.shards(numberRanges(shards), shards.length)}</strong>{' '}
      {since === null ? (
        texts.sinceUnknown
      ) : (
        <>
          {texts.since} <Timestamp time={since} />{' '}
          <span className="quiet">
            <Timestamp time={since} form="ago" />
          </span>
        </>
      )}{' '}
      {epochs.length === 0 ? null : <span className="quiet">{texts.epoch(epochs.join(', '))}</span>}
    </>
  );
}
