import { CombinedError, type OperationResult } from 'urql';
import { faultOf } from './answer-fault.ts';

/** What was answered is not what was asked for. */
export class UnreadableAnswer extends Error {
  override readonly name = 'UnreadableAnswer';
  /** Where it is not: a path of fields; empty: as a whole. */
  readonly path: string;

  constructor(path: string) {
    super(`the answer is not what was asked for, at "${path}"`);
    this.path = path;
  }
}

/**
 * The result, with an error where its data is not what was asked for. A proxy that answers in the controller's place, or a
 * controller of another release, breaks no page so: what asked says that it could not be read, and the rest stays.
 */
export function readableAnswer(result: OperationResult): OperationResult {
  const { error, operation } = result;
  const data: unknown = result.data;
  if (error !== undefined || data === undefined) return result;
  const path = faultOf(data, operation.query);
  if (path === undefined) return result;
  const unreadable = new CombinedError({
    networkError: new UnreadableAnswer(path),
    response: { ok: true, status: 200 },
  });
  return { ...result, data: undefined, error: unreadable };
}
