import { Deadline } from '../pass/deadline.ts';
import type { Pass } from '../pass/pass.ts';

/**
 * What metrics have to answer in the pass that an intervention started: it is in force within a second, also while their
 * source hangs. Such a pass writes nothing that metrics ask for.
 */
const afterInterventionMilliseconds = 500;

/**
 * Asks with the time that metrics and recommenders have to answer; an intervention that begins or ends cuts it short.
 *
 * @param of what is asked, for who reads that the pass was ended while it waited for that
 * @throws DeadlineExceeded at the pass's own deadline: the question is aborted
 */
export async function withAnswerDeadline<T>(
  { ports, options, runtime, deadline: ofPass }: Pick<Pass, 'ports' | 'options' | 'runtime' | 'deadline'>,
  of: string,
  ask: (deadline: Deadline) => Promise<T>,
): Promise<T> {
  const { metricsTimeoutMilliseconds: usual } = options;
  const milliseconds = runtime.isAfterIntervention ? Math.min(afterInterventionMilliseconds, usual) : usual;
  const deadline = new Deadline(ports.clock, milliseconds);
  const forget = runtime.onInterrupted(() => deadline.shorten(0, 'an intervention began or ended'));
  try {
    return await ofPass.race(ask(deadline), of);
  } catch (error) {
    deadline.abandon('the pass has ended');
    throw error;
  } finally {
    forget();
    deadline.clear();
  }
}
