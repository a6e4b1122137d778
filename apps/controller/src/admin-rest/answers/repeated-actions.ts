import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { AdapterError } from '#kernel';
import { type ActionAnswer, type ActionAnswersPort, outcomeUnknown as unknownToDatabase } from '#ledger';
import type { ClockPort } from '#reconciliation';
import { QueryError } from '../../admin/requests/query-error.ts';
import { ownerOf } from '../../auth/callers/principal.ts';
import type { DeletionTime } from '../../database/deletion-time.ts';
import { problemDocument } from '../../http/problem.ts';
import { ProblemError } from '../../http/problem-error.ts';
import { callerProblem } from '../../refusals/problem.filter.ts';

/** How long an answer is kept: a client that has not tried again by then does not. */
const keptMilliseconds = 24 * 3_600_000;

/** An action that may be repeated, and whether its answer may be kept. */
export interface RepeatableAction {
  readonly request: FastifyRequest;
  /** Carries it out; the status and the text of its answer. */
  readonly run: () => Promise<{ readonly status: number; readonly body: string }>;
  /** The answer holds a secret. */
  readonly isSecret: boolean;
}

/**
 * Answers a request as one with the same `Idempotency-Key` was answered before. The answers are in the database, so that a
 * restart makes no difference; refusals are kept, too, but not what failed on our side or is to be asked again later. A
 * caller whose grants have changed asks another request: an answer shows what it was made for.
 */
export class RepeatedActions {
  readonly #answers: ActionAnswersPort;
  readonly #clock: Pick<ClockPort, 'now'>;
  readonly #time: Pick<DeletionTime, 'now'>;
  /** Keys of requests that this process is carrying out. */
  readonly #underWay = new Set<string>();

  constructor(ports: {
    readonly answers: ActionAnswersPort;
    readonly time: Pick<DeletionTime, 'now'>;
    readonly clock: Pick<ClockPort, 'now'>;
  }) {
    this.#answers = ports.answers;
    this.#clock = ports.clock;
    this.#time = ports.time;
  }

  /** @throws QueryError, ProblemError */
  async answer({
    request,
    run,
    isSecret,
  }: RepeatableAction): Promise<ActionAnswer & { readonly isRepeated: boolean }> {
    const given = keyOf(request);
    if (given === null) return { ...(await run()), isRepeated: false };
    const key = digestOf(request.principal?.name ?? '', given);
    if (this.#underWay.has(key)) throw underWay;
    this.#underWay.add(key);
    try {
      const earlier = await this.#begin(key, request);
      if (earlier !== null) return { ...earlier, isRepeated: true };
      return { ...(await this.#carryOut(key, run, isSecret)), isRepeated: false };
    } finally {
      this.#underWay.delete(key);
    }
  }

  async #begin(key: string, { method, url, body, principal }: FastifyRequest): Promise<ActionAnswer | null> {
    const now = this.#clock.now();
    const forgetBefore = new Date((await this.#time.now()) - keptMilliseconds).toISOString();
    const grants = JSON.stringify(principal?.grants ?? []);
    const asked = digestOf(method, url, JSON.stringify(body ?? null), grants);
    const owner = principal === undefined ? '' : ownerOf(principal);
    const begun = await this.#answers.begin(key, asked, { owner, now, forgetBefore });
    if (begun === null) return null;
    if (begun === 'Full') throw tooManyKeys;
    if (begun.request !== asked) throw otherRequest;
    if (begun.answer === null) throw outcomeUnknown;
    if (begun.answer.body === null) throw notKept;
    return begun.answer;
  }

  /**
   * What was carried out is never forgotten: where its answer cannot be kept, the next request is told that the outcome is
   * not known.
   */
  async #carryOut(key: string, run: RepeatableAction['run'], isSecret: boolean): Promise<ActionAnswer> {
    const answer = await run().catch((error: unknown) => this.#keepFailure(key, error));
    await this.#answers.finish(key, isSecret ? { ...answer, body: null } : answer).catch(passOver);
    return answer;
  }

  async #keepFailure(key: string, error: unknown): Promise<never> {
    // It may have been carried out: whoever asks again is told that it is not known, and nothing is done twice.
    if (error instanceof AdapterError && error.code === unknownToDatabase) throw error;
    const problem = error instanceof QueryError ? callerProblem(error) : undefined;
    const mayPass = problem === undefined || problem.status >= 500 || problem.status === 429;
    const kept = mayPass
      ? this.#answers.forget(key)
      : this.#answers.finish(key, {
          status: problem.status,
          body: JSON.stringify(problemDocument(problem)),
        });
    await kept.catch(passOver);
    throw error;
  }
}

/** The answer is the caller's whether or not it can be kept. */
function passOver(error: unknown): void {
  if (!(error instanceof AdapterError)) throw error;
}

/** @throws QueryError `BadArgument` */
function keyOf({ headers }: FastifyRequest): string | null {
  const key = headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key === 'string' && /^[!-~]{1,255}$/.test(key)) return key;
  throw new QueryError('BadArgument', 'Idempotency-Key has 1 to 255 visible ASCII characters');
}

function digestOf(...parts: readonly string[]): string {
  return createHash('sha256').update(parts.join('\0')).digest('hex');
}

const otherRequest = new ProblemError({
  status: 422,
  code: 'IdempotencyKeyReused',
  detail: 'another request had this Idempotency-Key; every request wants one of its own',
});
const underWay = new ProblemError({
  status: 409,
  code: 'ActionUnderWay',
  detail: 'the request with this Idempotency-Key is being carried out; ask again for its answer',
});
const outcomeUnknown = new ProblemError({
  status: 409,
  code: 'OutcomeUnknown',
  detail:
    'the request with this Idempotency-Key was begun, and has no answer: another process is carrying it out, or it ended before it answered; ask again in two minutes, and if that is still so, look whether it is done, and ask for what is not with a new key',
});
const tooManyKeys = new ProblemError({
  status: 429,
  code: 'TooManyKeys',
  detail:
    'as many requests with an Idempotency-Key as are remembered were sent within a day; none is forgotten for a new one, and nothing was done: send it without a key, or later',
});
const notKept = new ProblemError({
  status: 409,
  code: 'AnswerNotKept',
  detail:
    'the request with this Idempotency-Key was carried out; its answer held a secret, and is shown once',
});
