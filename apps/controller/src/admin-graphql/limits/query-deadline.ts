import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify';
import { QueryError } from '../../admin/requests/query-error.ts';
import { keepPlaceDuring } from '../../auth/limits/held-places.ts';

/** The time that one answer may take, once it is begun. */
class QueryDeadline {
  readonly #late = Promise.withResolvers<never>();
  #timer: NodeJS.Timeout | undefined;

  constructor() {
    // It is waited for from the beginning of the request on, and by nothing where it ends before.
    this.#late.promise.catch(() => undefined);
  }

  begin(seconds: number): void {
    const message = `it took longer than ${seconds} s: ask for less at once`;
    const end = (): void => this.#late.reject(new QueryError('DeadlineExceeded', message));
    this.#timer ??= setTimeout(end, seconds * 1_000);
  }

  /**
   * The answer, or the refusal where it is late; what is under way ends by itself, keeps its caller's place until
   * then, and is not answered.
   */
  async within(answer: Promise<unknown>): Promise<unknown> {
    try {
      return await Promise.race([answer, this.#late.promise]);
    } finally {
      clearTimeout(this.#timer);
    }
  }
}

/** Where a request keeps its deadline; no `WeakMap`, for the reason that `caller-again.ts` gives. */
const ownDeadline = Symbol('ownDeadline');

type BoundRequest = object & { [ownDeadline]?: QueryDeadline };

/** Lets the answer to a request take so long from now on. A mutation has no deadline: it would go on all the same. */
export function beginDeadline(request: BoundRequest, seconds: number): void {
  request[ownDeadline]?.begin(seconds);
}

/** Bounds the answers of a path; to be called before its routes are added. */
export function boundQueries(server: FastifyInstance, path: string): void {
  server.addHook('onRoute', (route: RouteOptions) => {
    if (route.url !== path) return;
    const { handler } = route;
    route.handler = function (request: BoundRequest & FastifyRequest, reply): Promise<unknown> {
      const deadline = new QueryDeadline();
      request[ownDeadline] = deadline;
      const answer = Promise.resolve(handler.call(this, request, reply));
      keepPlaceDuring(request, answer);
      return deadline.within(answer);
    };
  });
}
