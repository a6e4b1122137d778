import type { SyncPorts } from './sync-ports.ts';

/** The same ports, by whose clock work that is cut into slices stops at its next slice once the process ends. */
export function endingInTurns<P extends Pick<SyncPorts, 'clock' | 'ending'>>(ports: P): P {
  const { clock, ending } = ports;
  if (ending === undefined) return ports;
  const nextTurn = async (): Promise<void> => {
    await clock.nextTurn();
    ending.throwIfAborted();
  };
  return {
    ...ports,
    clock: {
      now: () => clock.now(),
      monotonicMilliseconds: () => clock.monotonicMilliseconds(),
      schedule: (milliseconds: number, callback: () => void) => clock.schedule(milliseconds, callback),
      noteWork: (work: string) => clock.noteWork(work),
      nextTurn,
    },
  };
}
