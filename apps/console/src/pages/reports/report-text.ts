import { detailOf } from '../../api/problem.ts';
import { noteSessionEnd } from '../../api/session.ts';

/** As much of a report's text as is shown. */
export interface ReportText {
  readonly text: string;
  /** There is more. */
  readonly isCut: boolean;
}

/** Of HTML, whose end closes what its beginning opens, and of what is read line by line. */
export const previewBytes = { html: 1_000_000, lines: 32_000 } as const;

/**
 * Reads the beginning of a report over REST; the session goes along.
 *
 * @throws Error with a message for people
 */
export async function readReportText(path: string, bytes: number, signal: AbortSignal): Promise<ReportText> {
  const answer = await fetch(path, { cache: 'no-store', signal });
  if (answer.status === 401) noteSessionEnd();
  if (!answer.ok || answer.body === null) throw new Error(await detailOf(answer));
  const reader = answer.body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  for (let read = 0; read < bytes;) {
    const { value, done } = await reader.read();
    if (done) return { text: text + decoder.decode(), isCut: false };
    text += decoder.decode(value.subarray(0, bytes - read), { stream: true });
    read += value.length;
  }
  await reader.cancel();
  return { text, isCut: true };
}
