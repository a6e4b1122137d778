import type { IncomingMessage } from 'node:http';
import { addAbortSignal, type Readable } from 'node:stream';
import { z } from 'zod';
import {
  type ExportedLine,
  type ExportFilter,
  type ExportSnapshot,
  parseExportedHead,
  type StreamHead,
} from '#ledger';
import { readLines } from '../decision/read-lines.ts';
import { redirection } from '../server/api-client.ts';
import { contextOfServer, lastingContext } from '../server/contexts.ts';
import { openAnswer, type WholeAnswer, wholeAnswer } from '../server/http-exchange.ts';
import { onOneLine, reasonOf } from '../server/one-line.ts';
import { checkedToken, readToken } from '../server/read-token.ts';
import { serverUrl } from '../server/server-url.ts';
import { BrokenLedgerError, UnusableError } from '../unusable-error.ts';
import { type ManifestRule, retentionForm } from './export-folder.ts';
import type { ExportSource, LastLine } from './export-source.ts';

export interface ServerArguments {
  /** `https://plimsoll.example.com`, or `http://127.0.0.1:8080`. */
  readonly server: string;
  /** Absent: the variable `PLIMSOLL_TOKEN`, else the token of a login at this server. */
  readonly tokenFile?: string;
}

/** A line of the answer: an object with one member, whose text is kept as it is. */
interface AnswerLine {
  readonly member: string;
  readonly json: string;
}

/** In which nothing of the answer comes: a controller looks for the first entry of a filter in millions. */
const idleSeconds = 300;

/** A refusal is one sentence, and comes at once. */
const refusalSeconds = 30;
const maximumRefusalBytes = 64 * 1024;

const lineForm = /^\{"(madeAt|head|sealed|rotation|note|entry|retention|end|failed)":(.*)\}$/;
/** What an export that is resumed has already. */
const ofSnapshot: ReadonlySet<string> = new Set(['madeAt', 'head', 'sealed', 'rotation', 'note']);
/** Where an entry's own stream and number stand: behind everything that a payload may hold. */
const entryForm = /,"seq":"(\d{1,19})","stream":("(?:[^"\\]|\\.)*"),"time":"[^"]*"\}$/;
const segmentForm =
  /^\{"expired":\{"hash":"[0-9a-f]{64}","last":"(\d{1,19})"\},"stream":("(?:[^"\\]|\\.)*")\}$/;

/**
 * A controller's API as the source of an export: one answer has all of it, from where the last one was cut off.
 *
 * @throws UnusableError
 */
export async function openServerSource(
  { server, tokenFile }: ServerArguments,
  {
    filter,
    last,
    environment,
  }: {
    readonly filter: ExportFilter;
    readonly last: (LastLine & { readonly admin?: string }) | null;
    readonly environment: Readonly<Record<string, string | undefined>>;
  },
): Promise<ExportSource> {
  const token = await tokenOf({ server, ...(tokenFile !== undefined && { tokenFile }) }, environment);
  const answer = new Answer(await request(server, token, { filter, after: last }));
  return {
    snapshot: () => answer.snapshot(),
    lines: (heads) => answer.entries(heads),
    retention: () => answer.retention(),
    close: () => answer.close(),
  };
}

async function tokenOf(
  { server, tokenFile }: ServerArguments,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  if (tokenFile !== undefined) return readToken(tokenFile);
  const { PLIMSOLL_TOKEN: given } = environment;
  if (given) return checkedToken(given, 'PLIMSOLL_TOKEN');
  const { token } = await lastingContext(await contextOfServer(serverUrl(server), environment));
  return token;
}

async function request(server: string, token: string, body: object): Promise<Readable> {
  const url = exportsUrl(server);
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  let answer: IncomingMessage;
  let refusal: WholeAnswer;
  try {
    const options = { method: 'POST', headers, timeout: idleSeconds * 1_000 };
    answer = await openAnswer(url, JSON.stringify(body), options);
    if (answer.statusCode === 200) return answer;
    addAbortSignal(AbortSignal.timeout(refusalSeconds * 1_000), answer);
    refusal = await wholeAnswer(answer, maximumRefusalBytes);
  } catch (error) {
    throw new UnusableError(`${url.origin} does not answer: ${reasonOf(error)}`);
  }
  if (refusal.status >= 300 && refusal.status < 400) throw redirection(url.origin, refusal.headers);
  const { code, text } = shownRefusal(refusal);
  const message = `${url.origin} refused the export: ${text}`;
  throw code === 'CheckpointUnfit' ? new BrokenLedgerError(message) : new UnusableError(message);
}

function exportsUrl(server: string): URL {
  const url = serverUrl(server);
  return new URL('api/v1/ledger/exports', `${url.origin}${url.pathname.replace(/\/?$/, '/')}`);
}

function shownRefusal({ status, text }: WholeAnswer): { readonly code?: unknown; readonly text: string } {
  try {
    const { code, detail } = JSON.parse(text) as { readonly code?: unknown; readonly detail?: unknown };
    return { code, text: typeof detail === 'string' ? onOneLine(`${status}, ${detail}`) : String(status) };
  } catch {
    return { text: String(status) };
  }
}

/** The lines of an answer in their order. One that has no last line was cut off. */
class Answer {
  readonly #input: Readable;
  readonly #lines: AsyncGenerator<AnswerLine, undefined>;
  /** Read, and not used yet. */
  #ahead: AnswerLine | null = null;

  constructor(input: Readable) {
    this.#input = input;
    this.#lines = answerLines(input);
  }

  async snapshot(): Promise<ExportSnapshot & { readonly madeAt: string }> {
    const madeAt = textOf(await this.#one('madeAt'));
    const heads = (await this.#all('head')).map((json) => headOf(json));
    const sealed = await this.#all('sealed');
    const rotations = (await this.#all('rotation')).map(textOf);
    const [note] = await this.#all('note');
    const checkpoint = note === undefined ? null : { note: textOf(note), sealed, rotations };
    return { madeAt, heads, checkpoint };
  }

  /** Entries that came after the heads were read are passed over. */
  async *entries(heads: AsyncIterable<StreamHead>): AsyncGenerator<readonly ExportedLine[]> {
    const wanted = new Map<string, bigint>();
    for await (const { stream, seq } of heads) wanted.set(stream, seq);
    while (ofSnapshot.has((await this.#peek()).member)) await this.#take();
    while ((await this.#peek()).member === 'entry') {
      const line = exportedLine(await this.#take());
      const last = wanted.get(line.stream);
      if (last !== undefined && line.seq <= last) yield [line];
    }
  }

  async retention(): Promise<readonly ManifestRule[]> {
    const parsed = retentionForm.safeParse(JSON.parse(await this.#one('retention')));
    await this.#one('end');
    if (parsed.success) return parsed.data;
    throw new UnusableError(`the answer has no retention: ${z.prettifyError(parsed.error)}`);
  }

  async close(): Promise<void> {
    this.#input.destroy();
    await this.#lines.return(undefined).catch(() => undefined);
  }

  async #all(member: string): Promise<readonly string[]> {
    const found: string[] = [];
    while ((await this.#peek()).member === member) found.push((await this.#take()).json);
    return found;
  }

  async #one(member: string): Promise<string> {
    const line = await this.#take();
    if (line.member === member) return line.json;
    throw new UnusableError(`the answer has ${line.member} in the place of ${member}`);
  }

  async #take(): Promise<AnswerLine> {
    const line = await this.#peek();
    this.#ahead = null;
    return line;
  }

  async #peek(): Promise<AnswerLine> {
    if (this.#ahead !== null) return this.#ahead;
    const next = await this.#lines.next().catch((error: unknown) => {
      throw error instanceof UnusableError ? error : cutOff(reasonOf(error));
    });
    if (next.done === true) throw cutOff('it has no end');
    if (next.value.member === 'failed') throw new UnusableError(textOf(next.value.json));
    this.#ahead = next.value;
    return next.value;
  }
}

function cutOff(reason: string): UnusableError {
  return new UnusableError(`the answer was cut off (${reason}); --resume goes on with the export`);
}

async function* answerLines(input: Readable): AsyncGenerator<AnswerLine, undefined> {
  for await (const lines of readLines(input)) {
    for (const line of lines) {
      const [, member, json] = ('text' in line ? lineForm.exec(line.text) : null) ?? [];
      if (member === undefined || json === undefined) throw cutOff(`line ${line.number} is not of an export`);
      yield { member, json };
    }
  }
  return undefined;
}

function textOf(json: string): string {
  const value: unknown = JSON.parse(json);
  if (typeof value === 'string') return value;
  throw new UnusableError('the answer has no text where one is expected');
}

function headOf(json: string): StreamHead {
  const head = parseExportedHead(json);
  if (head !== null) return head;
  throw new UnusableError('the answer has a head that is none');
}

function exportedLine({ json }: AnswerLine): ExportedLine {
  const [, seq, stream] = entryForm.exec(json.slice(-2_000)) ?? segmentForm.exec(json) ?? [];
  if (seq === undefined || stream === undefined)
    throw new UnusableError('the answer has an entry that is none');
  return { stream: textOf(stream), seq: BigInt(seq), line: json };
}
