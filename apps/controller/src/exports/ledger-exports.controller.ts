import { Readable } from 'node:stream';
import { Body, Controller, HttpStatus, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { linesType } from '#contracts';
import { AdapterError } from '#kernel';
import { entryKinds, timeNanoseconds } from '#ledger';
import { QueryError } from '../admin/requests/query-error.ts';
import { nobody } from '../auth/callers/principal.ts';
import { Roles } from '../auth/callers/roles.decorator.ts';
import { requireStillLetIn } from '../auth/gate/still-let-in.ts';
import { acceptedType } from '../http/accepted-type.ts';
import { describeArgument } from '../http/describe-argument.ts';
import { sendProblem } from '../http/problem.ts';
import { cutOffSlow } from './cut-off-slow.ts';
import type { ExportRequest } from './export-lines.ts';
import { LedgerExports } from './ledger-exports.ts';

const time = z
  .string()
  .max(64)
  .refine((text) => timeNanoseconds(text) !== null, 'an RFC 3339 time');
const number = z.string().regex(/^\d{1,18}$/, 'the number of an entry');
const names = z.array(z.string().min(1).max(320)).min(1).max(1_000);

/** A portion goes out in far less, however slow the line. */
const stalledMilliseconds = 60_000;

function hasPeriod({
  from,
  until,
}: {
  readonly from: string | null;
  readonly until: string | null;
}): boolean {
  const [first, end] = [from, until].map((text) => (text === null ? null : timeNanoseconds(text)));
  return typeof first !== 'bigint' || typeof end !== 'bigint' || first < end;
}

const requestForm = z.strictObject({
  filter: z
    .strictObject({
      from: time.nullable(),
      until: time.nullable(),
      namespaces: names.nullable(),
      policies: names.nullable(),
      kinds: z.array(z.enum(entryKinds)).min(1).max(100).nullable(),
    })
    .refine(hasPeriod, { path: ['until'], message: 'a time after "filter.from"' }),
  after: z.strictObject({ stream: z.string().max(400), seq: number, admin: number.optional() }).nullable(),
});

/** Exports of the ledger, as `plimsoll audit export --server` reads them. */
@Controller('api/v1/ledger/exports')
export class LedgerExportsController {
  readonly #exports: LedgerExports;

  constructor(exports: LedgerExports) {
    this.#exports = exports;
  }

  /** Streams NDJSON. A failure on the way cuts the answer off, which then has no line `end`. */
  @Post()
  @Roles('viewer')
  async export(
    @Body() body: unknown,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    // Before anything is recorded.
    const type = acceptedType([linesType], request.raw);
    const lines = await this.#begin(request, requestOf(body), reply);
    if (lines === null) return;
    // A caller that takes nothing for so long would keep others from exporting.
    const cutOff = (): void => {
      reply.raw.destroy();
    };
    reply.raw.setTimeout(stalledMilliseconds, cutOff);
    const texts = cutOffSlow(lines, cutOff);
    await texts.next();
    await reply
      .code(HttpStatus.OK)
      .type(type)
      .send(Readable.from(texts, { objectMode: false }));
  }

  async #begin(
    caller: FastifyRequest,
    request: ExportRequest,
    reply: FastifyReply,
  ): Promise<AsyncGenerator<string, undefined> | null> {
    try {
      const lines = await this.#exports.begin(caller.principal ?? nobody, request, () =>
        requireStillLetIn(caller),
      );
      if (lines === null) sendProblem(reply, tooManyExports);
      return lines;
    } catch (error) {
      if (!(error instanceof AdapterError)) throw error;
      const { code, message } = error;
      const detail = code === 'CheckpointUnfit' ? message : 'the ledger cannot be exported now';
      sendProblem(reply, { status: 503, code, detail });
      return null;
    }
  }
}

const tooManyExports = {
  status: 429,
  code: 'TooManyExports',
  detail: 'two exports are under way, or one of yours',
};

/** @throws QueryError `BadArgument` */
function requestOf(body: unknown): ExportRequest {
  const parsed = requestForm.safeParse(body);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const sentence =
    issue === undefined ? 'the body is not understood' : describeArgument(issue, body, { where: 'the body' });
  throw new QueryError('BadArgument', sentence);
}
