import type { Replica } from './make-replica.ts';

const lastRuns = 2;
const linesPerRun = 80;

/** What a failed run is understood by: the last lines of the log of a replica's last two processes, and what was no line of it. */
export function lastLines({ name, runs }: Replica): string {
  return runs
    .slice(-lastRuns)
    .flatMap(({ process: { log, rest } }) => [
      ...log.slice(-linesPerRun).map((line) => JSON.stringify(line)),
      ...rest,
    ])
    .map((line) => `${name} ${line}`)
    .join('\n');
}
