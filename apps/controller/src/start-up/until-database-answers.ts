import type { StartDependencies } from './start-dependencies.ts';
import { databaseMilliseconds, untilAnswered } from './until-answered.ts';

type DatabaseQuestion = Pick<StartDependencies, 'shards' | 'configuration' | 'clock' | 'logger'>;

/**
 * Waits for the database before something that asks another server as well, for which a start waits less long.
 *
 * @throws AdapterError where it will not answer; the signal's reason
 */
export function untilDatabaseAnswers(
  { shards, configuration, clock, logger }: DatabaseQuestion,
  signal: AbortSignal,
): Promise<void> {
  const ask = async (): Promise<void> => {
    await shards.readLayout();
  };
  const milliseconds = databaseMilliseconds(configuration);
  return untilAnswered(ask, { of: 'database', signal, milliseconds, clock, logger });
}
