import { ProblemError } from '../../http/problem-error.ts';

/** The time that one answer, or one page of a stream, may take. */
const deadlineMilliseconds = 10_000;

/** The value, if it comes in time. @throws ProblemError `DeadlineExceeded`, with what is `more` to be said of it */
export async function withinDeadline<T>(
  value: Promise<T>,
  milliseconds = deadlineMilliseconds,
  more = '',
): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () =>
      late.reject(
        new ProblemError({
          status: 503,
          code: 'DeadlineExceeded',
          detail: `it took longer than ${milliseconds} ms${more}`,
        }),
      ),
    milliseconds,
  );
  try {
    return await Promise.race([value, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
