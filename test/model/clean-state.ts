import { Holder, ModelState, Net, Phase, type Replica, Status, type Write } from './model-state.ts';

/** Makes states the same that nothing can tell apart. */
export function clean(next: ModelState): void {
  cleanWrite(next, 0);
  cleanWrite(next, 1);
  for (const replica of next.replicas) {
    if (!isInWrite(replica)) replica.write = 0;
    if (replica.phase < Phase.Fenced) replica.fenceAge = 0;
    if (replica.phase < Phase.Leaving) continue;
    replica.leaseAge = 0;
    replica.fenceAge = 0;
  }
}

/** A request that can do nothing any more, and of which no one waits to hear, is none; a write that is over, too. */
function cleanWrite(next: ModelState, index: 0 | 1): void {
  const write = next.writes[index];
  if (write.status === Status.None) return;
  const by = next.replicas.find((replica) => isAbout(replica, index));
  if (!isAwaited(by, write) && !mayTakeEffect(write)) write.net = Net.None;
  const isPending = write.status === Status.Pending || next.snapshotStatus[index] === Status.Pending;
  if (isPending || write.net !== Net.None || by !== undefined) return;
  next.snapshotStatus[index] = Status.None;
  write.copy(noWrite);
}

function isAwaited(by: Replica | undefined, { author }: Write): boolean {
  return by?.phase === Phase.Sent && author !== Holder.Gone;
}

function mayTakeEffect({ net, isFresh }: Write): boolean {
  return net === Net.UnderWay && isFresh === 1;
}

function isInWrite({ phase }: Replica): boolean {
  return (
    phase >= Phase.InDoubt && phase !== Phase.Watching && phase !== Phase.HasRead && phase < Phase.Leaving
  );
}

function isAbout(replica: Replica, index: number): boolean {
  return isInWrite(replica) && replica.write === index;
}

const noWrite = new ModelState().writes[0];
