import type { ReactElement } from 'react';
import { seldomSeconds, useAnswer } from '../../api/use-answer.ts';
import { passes as texts } from '../../messages/passes.ts';
import type { PolicyEvaluator } from '../../schema.generated.ts';
import { Timestamp } from '../time/timestamp.tsx';
import { isolated } from '../words/isolated.ts';
import { ShardHoldersDocument } from './pass-time.generated.ts';

/** What of a policy's status says how old it is. */
export interface PassTimeProps {
  /** RFC 3339. */
  readonly time: string;
  readonly evaluatedBy: PolicyEvaluator;
  readonly shard: number;
}

/**
 * When the latest pass ended. Where the replica that answers ran none, what it knows is when the policy's state was
 * recorded: passes that changed nothing since are not, so that this is no age of the policy.
 */
export function PassTime({ time, evaluatedBy, shard }: PassTimeProps): ReactElement {
  const ago = <Timestamp time={time} form="ago" />;
  if (evaluatedBy === 'ThisReplica') return ago;
  return (
    <>
      {texts.recorded} {ago}, {evaluatedBy === 'NobodyYet' ? texts.nobodyYet : <Holder shard={shard} />}
    </>
  );
}

function Holder({ shard }: Pick<PassTimeProps, 'shard'>): string {
  const { data } = useAnswer(ShardHoldersDocument, {}, { everySeconds: seldomSeconds });
  const holder = data?.shards.find((each) => each.shard === shard)?.holder ?? null;
  return holder === null ? texts.another : texts.by(isolated(holder));
}
