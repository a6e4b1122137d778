import { once } from 'node:events';
import * as http from 'node:http';
import * as https from 'node:https';
import { readTextFile } from '#files';
import { AdapterError, codeOf, fileFault } from '#kernel';
import { apiTimeoutMilliseconds } from '../run/git-limits.ts';
import { loadProxy, type NetworkFiles } from './network-files.ts';

/** One request to an API. */
export interface TextRequest extends NetworkFiles {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** A longer answer is not read. */
  readonly maximumBytes: number;
  /** Ends the request when it is aborted. */
  readonly signal?: AbortSignal;
}

/** What came back; a redirect is an answer as any other, and is not followed. */
export interface TextAnswer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly text: string;
}

/** The variables that git knows too. */
const proxyVariables = ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'HTTPS_PROXY', 'no_proxy', 'NO_PROXY'];

/**
 * Asks once, within 10 seconds, directly or through the proxy of a file or of the environment.
 *
 * @throws AdapterError `Unreachable`, `Ended`, `AnswerTooLarge`, `CredentialsUnreadable`, `CredentialsInvalid`; nothing that was sent is in it.
 */
export async function requestText(request: TextRequest): Promise<TextAnswer> {
  const agent = await agentOf(request);
  const late = AbortSignal.timeout(apiTimeoutMilliseconds);
  const signal = request.signal === undefined ? late : AbortSignal.any([late, request.signal]);
  try {
    return await Promise.race([exchange(request, { agent, signal }), whenAborted(signal)]);
  } catch (error) {
    if (error instanceof AdapterError) throw error;
    if (request.signal?.aborted === true) throw ended;
    throw late.aborted ? tooLate : unreachable(error);
  } finally {
    agent.destroy();
  }
}

/** With what a request is sent, and what ends it. */
interface Sending {
  readonly agent: http.Agent;
  readonly signal: AbortSignal;
}

async function exchange(request: TextRequest, sending: Sending): Promise<TextAnswer> {
  const response = await send(request, sending);
  const text = await readBounded(response, request.maximumBytes);
  return { status: response.statusCode ?? 0, headers: response.headers, text };
}

/** While there is no connection through a proxy yet, a request of Node does not end by its signal. */
async function whenAborted(signal: AbortSignal): Promise<never> {
  if (!signal.aborted) await once(signal, 'abort');
  throw new Error('the request was ended');
}

async function agentOf({ url, caFile, proxyFile }: TextRequest): Promise<http.Agent> {
  const proxyEnv = proxyFile === undefined ? environmentProxy() : await fileProxy(proxyFile);
  if (url.startsWith('http:')) return new http.Agent({ proxyEnv });
  return new TunnelAgent({
    proxyEnv,
    ...(caFile === undefined ? {} : { ca: await loadAuthorities(caFile) }),
  });
}

/** Node's own does not know a connection that has not come through a proxy yet. */
class TunnelAgent extends https.Agent {
  #connection: ReturnType<https.Agent['createConnection']>;

  override createConnection(
    ...given: Parameters<https.Agent['createConnection']>
  ): ReturnType<https.Agent['createConnection']> {
    this.#connection = super.createConnection(...given);
    return this.#connection;
  }

  override destroy(): void {
    super.destroy();
    this.#connection?.destroy();
  }
}

async function fileProxy(file: string): Promise<Record<string, string>> {
  const { href } = await loadProxy(file);
  return { HTTP_PROXY: href, HTTPS_PROXY: href };
}

function environmentProxy(): Record<string, string> {
  return Object.fromEntries(
    proxyVariables.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

async function loadAuthorities(file: string): Promise<string> {
  const refused = (code: string, why: string): AdapterError =>
    new AdapterError({ code, message: `caFile: ${JSON.stringify(file)} ${why}`, retryable: true });
  const text = await readTextFile(file).catch((error: unknown) => {
    throw refused('CredentialsUnreadable', `cannot be read (${fileFault(error, file)})`);
  });
  // Of any other text Node makes a list of no authorities, and trusts nobody.
  if (/-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----/.test(text)) return text;
  throw refused('CredentialsInvalid', 'holds no certificate in PEM');
}

function send(
  { url, method, headers, body }: TextRequest,
  { agent, signal }: Sending,
): Promise<http.IncomingMessage> {
  const { request } = url.startsWith('http:') ? http : https;
  return new Promise((resolve, reject) => {
    request(url, { method, headers, agent, signal }, resolve)
      .on('error', reject)
      // Of an answer that goes on with another protocol Node says nothing else.
      .on('close', () => reject(unanswered))
      .end(body);
  });
}

async function readBounded(response: http.IncomingMessage, maximumBytes: number): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of response as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > maximumBytes) throw tooLarge(maximumBytes);
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

const ended = new AdapterError({
  code: 'Ended',
  message: 'nobody waits for the answer any more',
  retryable: true,
});

const tooLate = new AdapterError({
  code: 'Unreachable',
  message: `the server did not answer within ${apiTimeoutMilliseconds / 1_000} seconds`,
  retryable: true,
});

const unanswered = new AdapterError({
  code: 'Unreachable',
  message: 'the server ended the connection, and gave no answer',
  retryable: true,
});

function tooLarge(maximumBytes: number): AdapterError {
  return new AdapterError({
    code: 'AnswerTooLarge',
    message: `the answer has more than ${maximumBytes} bytes`,
    retryable: true,
  });
}

/** The code of node's error, not its message: that may name what was asked. */
function unreachable(error: unknown): AdapterError {
  const code = codeOf(error) ?? nameOf(error);
  const why = code.startsWith('HPE_') ? noHttp : (whyByCode.get(code) ?? 'the server did not answer');
  return new AdapterError({ code: 'Unreachable', message: `${why} (${code})`, retryable: true });
}

const unknownAuthority =
  "the server's certificate is of no authority that is trusted; caFile names one, in PEM";

/** What its parser of HTTP says, Node begins so. */
const noHttp = 'what the server answers is no HTTP that can be read';

/** Why there was no answer, in words, where a person can mend it. */
const whyByCode: ReadonlyMap<string, string> = new Map([
  ['DEPTH_ZERO_SELF_SIGNED_CERT', unknownAuthority],
  ['SELF_SIGNED_CERT_IN_CHAIN', unknownAuthority],
  ['UNABLE_TO_GET_ISSUER_CERT', unknownAuthority],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', unknownAuthority],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', unknownAuthority],
  ['ERR_TLS_CERT_ALTNAME_INVALID', "the server's certificate is for another name than the url's"],
  ['CERT_HAS_EXPIRED', "the server's certificate has expired"],
  ['CERT_NOT_YET_VALID', "the server's certificate is not valid yet"],
  ['ENOTFOUND', 'the host of the url has no address'],
  ['EPROTO', 'no TLS is agreed on with the server, or it speaks none there'],
]);

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : 'unknown';
}
