import { Deadline } from '../pass/deadline.ts';
import type { Pass } from '../pass/pass.ts';

/**
 * What metrics have to answer in the pass that an intervention started: it is in force within a second, also while their
 * source hangs. Such a pass writes nothing that metrics ask for.
 */
const afterInterventionMilliseconds = 500;

/** Asks with the time that metrics and recommenders have to answer; an intervention that begins or ends cuts it short. */
export async function withAnswerDeadline<T>(
  { ports, options, runtime }: Pick<Pass, 'ports' | 'options' | 'runtime'>,
  ask: (deadline: Deadline) => Promise<T>,
): Promise<T> {
  const { metricsTimeoutMilliseconds: usual } = options;
  const milliseconds = runtime.isAfterIntervention ? Math.min(afterInterventionMilliseconds, usual) : usual;
  const deadline = new Deadline(ports.clock, milliseconds);
  const forget = runtime.onInterrupted(() => deadline.shorten(0, 'an intervention began or ended'));
  try {
    return await ask(deadline);
  } finally {
    forget();
    deadline.clear();
  }
}
