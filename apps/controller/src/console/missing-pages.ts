import type { FastifyReply, FastifyRequest } from 'fastify';
import { isForPerson, type Problem, sendProblem } from '../http/problem.ts';
import type { BuiltConsole } from './built-console.ts';
import { sendPage } from './send-console-file.ts';

/** What paths of programs begin with: what there is not beneath them is answered in their form, whoever asks. */
const programs: ReadonlySet<string> = new Set(['api', 'graphql', 'auth', 'webhooks', 'healthz', 'readyz']);

/** Answers an address that there is nothing at: a person is sent the console, which says so in words. */
export class MissingPages {
  readonly #console: BuiltConsole;

  constructor(console: BuiltConsole) {
    this.#console = console;
  }

  /** Sends the console with the status of the problem; the problem, where a program asks or the console is not built. */
  async send(request: FastifyRequest, reply: FastifyReply, problem: Problem): Promise<FastifyReply> {
    const page = asksForPage(request)
      ? await this.#console.load('index.html', request.headers['accept-encoding'])
      : undefined;
    if (page === undefined) return sendProblem(reply, problem);
    await sendPage(reply.code(problem.status), page);
    return reply;
  }
}

/** Whether a browser goes to an address that the router knows nothing at, and that is none of a program's. */
export function isMissingPage(
  request: Pick<FastifyRequest, 'method' | 'headers' | 'url' | 'routeOptions'>,
): boolean {
  return request.routeOptions.url === undefined && asksForPage(request);
}

function asksForPage({ method, headers, url }: Pick<FastifyRequest, 'method' | 'headers' | 'url'>): boolean {
  if (!['GET', 'HEAD'].includes(method) || !isForPerson(headers)) return false;
  const [, first = ''] = /^\/([^/?]*)/.exec(url) ?? [];
  return !programs.has(first.toLowerCase());
}
