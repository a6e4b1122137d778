import { Readable } from 'node:stream';
import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { firstValueFrom, from, mergeMap, type Observable } from 'rxjs';
import { apiPrefix, linesType, type Operation } from '#contracts';
import { requireStillLetIn } from '../../auth/gate/still-let-in.ts';
import { keepPlaceDuring } from '../../auth/limits/held-places.ts';
import { acceptedType } from '../../http/accepted-type.ts';
import { operationOf } from './asked.decorator.ts';
import { withinDeadline } from './deadline.ts';
import { linesOf, type Listing, pageOf } from './listing.ts';
import { entityTagOf, isNamedWeakly } from './preconditions.ts';
import { RepeatedActions } from './repeated-actions.ts';
import { type TextDocument, textWhile } from './text-document.ts';

/** Gives what a handler returns the form that the caller accepts: JSON with an ETag, a page, or lines. */
@Injectable()
export class AnswerInterceptor implements NestInterceptor {
  readonly #repeated: RepeatedActions;

  constructor(repeated: RepeatedActions) {
    this.#repeated = repeated;
  }

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const operation = operationOf(context);
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    const isLines = acceptedType(offeredTypes(operation), request.raw) === linesType;
    const exchange = { operation, request, reply, isLines };
    void reply.header('vary', 'accept, authorization').header('cache-control', 'private, no-cache');
    if (operation.kind === 'Action') return from(this.#act(exchange, next));
    return next.handle().pipe(mergeMap((value: unknown) => from(answer(exchange, value))));
  }

  async #act({ operation, request, reply }: Exchange, next: CallHandler): Promise<string> {
    const { path, status } = operation;
    const run = async () => {
      const done: unknown = await firstValueFrom(next.handle());
      return { status: isPreview(done) ? (200 as const) : status, body: JSON.stringify(done) };
    };
    // What goes on after the deadline keeps its key: asked again, it is under way, and then answered.
    const answered = this.#repeated.answer({ request, run, isSecret: operation.isSecret });
    keepPlaceDuring(request, answered);
    const made = await withinDeadline(answered, actionMilliseconds, goesOn);
    const text = made.body ?? '';
    if (made.isRepeated) void reply.header('idempotency-replayed', 'true');
    if (made.status === 201) {
      const { id } = JSON.parse(text) as { readonly id: string };
      void reply.header('location', `${apiPrefix}${path}/${encodeURIComponent(id)}`);
    }
    const type = made.status < 400 ? 'application/json' : 'application/problem+json';
    void reply.code(made.status).type(`${type}; charset=utf-8`);
    return text;
  }
}

/** A sync may fetch a repository. */
const actionMilliseconds = 120_000;

const goesOn =
  '; it goes on, and may still be carried out: look whether it is done before it is asked for again, or ask with an Idempotency-Key, by which nothing is carried out twice';

interface Exchange {
  readonly operation: Operation;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly isLines: boolean;
}

function offeredTypes({ kind, types = [] }: Operation): readonly string[] {
  if (kind === 'Document') return types;
  return kind === 'List' ? ['application/json', linesType] : ['application/json'];
}

async function answer(exchange: Exchange, value: unknown): Promise<unknown> {
  const { operation, request, isLines } = exchange;
  if (operation.kind === 'Document') return textOf(exchange, (await value) as TextDocument);
  if (operation.kind === 'List' && isLines) return lines(exchange, value as Listing<unknown>);
  if (operation.kind === 'List') {
    const reading = pageOf(value as Listing<unknown>, request.url);
    keepPlaceDuring(request, reading);
    const page = await withinDeadline(reading);
    return unlessUnchanged(exchange, page.body, page.link);
  }
  const reading = Promise.resolve(value);
  keepPlaceDuring(request, reading);
  return unlessUnchanged(exchange, await withinDeadline(reading), null);
}

/** The answer to a dry run: nothing was made. */
function isPreview(made: unknown): boolean {
  return typeof made === 'object' && made !== null && Object.keys(made).join() === 'effect';
}

function unlessUnchanged({ request, reply }: Exchange, body: unknown, link: string | null): unknown {
  const text = JSON.stringify(body);
  const tag = entityTagOf(text);
  void reply.header('etag', tag);
  if (link !== null) void reply.header('link', link);
  if (isNamedWeakly(request.headers['if-none-match'], tag)) {
    void reply.code(304);
    return undefined;
  }
  void reply.code(200).type('application/json; charset=utf-8');
  return text;
}

async function textOf(
  { request, reply }: Exchange,
  { type, name, bytes, open }: TextDocument,
): Promise<Readable> {
  acceptedType([type], request.raw);
  // Who asks for the headers alone reads nothing, which is what is recorded and counted.
  const text = request.method === 'HEAD' ? Readable.from([]) : await withinDeadline(open());
  void reply.code(200).type(type.startsWith('text/') ? `${type}; charset=utf-8` : type);
  void reply.header('content-length', bytes).header('content-disposition', `attachment; filename="${name}"`);
  return textWhile(text, () => requireStillLetIn(request));
}

async function lines({ request, reply }: Exchange, listing: Listing<unknown>): Promise<Readable> {
  const reading = linesOf(listing, () => requireStillLetIn(request));
  keepPlaceDuring(request, reading);
  const text = await reading;
  void reply.code(200).type(linesType);
  return Readable.from(text, { objectMode: false });
}
