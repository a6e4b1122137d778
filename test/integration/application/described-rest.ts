import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Role } from '../../../apps/controller/src/auth/callers/principal.ts';
import type { AnApplication } from './an-application.ts';

/** A request to the REST API. */
export interface RestRequest {
  readonly method?: string;
  /** Below `/api/v1`. */
  readonly path: string;
  /** `admin` unless another is given; null: no token. */
  readonly role?: Role | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Its answer; `body` is JSON where the answer is. */
export interface RestAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
  readonly text: string;
}

interface Described {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  readonly components: {
    readonly responses: Readonly<Record<string, DescribedResponse>>;
    readonly headers: object;
    readonly schemas: object;
  };
}

interface DescribedOperation {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, DescribedResponse & { readonly $ref?: string }>>;
}

interface DescribedResponse {
  readonly headers?: Readonly<Record<string, object>>;
  readonly content?: Readonly<Record<string, { readonly schema: object }>>;
}

const file = new URL('../../../openapi.json', import.meta.url);
export const openApi = JSON.parse(readFileSync(file, 'utf8')) as Described;

const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema({ ...openApi, $id: 'openapi' });

/** Asks the REST API; an answer that `openapi.json` does not describe is an error. */
export async function askRest(
  application: Pick<AnApplication, 'url' | 'tokens'>,
  { method = 'GET', path, role = 'admin', headers = {}, body }: RestRequest,
): Promise<RestAnswer> {
  const response = await fetch(`${application.url()}/api/v1${path}`, {
    method,
    headers: {
      ...(role === null ? {} : { authorization: `Bearer ${application.tokens[role]}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const answer = await readAnswer(response);
  requireDescribed(`${method} ${path}`, describedOperation(method, path), answer);
  return answer;
}

async function readAnswer(response: Response): Promise<RestAnswer> {
  const text = await response.text();
  const isJson = /[/+]json\b/.test(response.headers.get('content-type') ?? '') && text !== '';
  const body = (isJson ? JSON.parse(text) : {}) as RestAnswer['body'];
  return { status: response.status, headers: response.headers, text, body };
}

function describedOperation(method: string, path: string): DescribedOperation | undefined {
  const [wanted = ''] = path.split('?');
  const found = Object.entries(openApi.paths).find(([template]) =>
    new RegExp(`^${template.replaceAll(/\{[a-z]+\}/g, '[^/]+')}$`).test(wanted),
  );
  return found?.[1][method.toLowerCase()];
}

function requireDescribed(what: string, operation: DescribedOperation | undefined, answer: RestAnswer): void {
  const described = responseOf(operation, answer.status);
  const problem = described === undefined ? 'its status' : problemOf(described, answer);
  if (problem === null) return;
  throw new Error(
    `${what}, answered ${answer.status}: ${problem} is not described: ${answer.text.slice(0, 2_000)}`,
  );
}

function problemOf({ headers = {}, content }: DescribedResponse, answer: RestAnswer): string | null {
  const [type = ''] = (answer.headers.get('content-type') ?? '').split(';');
  if (content === undefined) return answer.text === '' ? null : 'a body';
  const described = content[type];
  if (described === undefined) return `content in ${type}`;
  if (!isJson(type)) return null;
  const missing = Object.keys(headers).find(
    (name) => name !== 'Idempotency-Replayed' && answer.headers.get(name) === null,
  );
  if (missing !== undefined) return `an answer without ${missing}`;
  const validate = ajv.compile(located(described.schema));
  return validate(answer.body) ? null : ajv.errorsText(validate.errors);
}

/** The other types are described by their names alone. */
function isJson(type: string): boolean {
  return type === 'application/json' || type === 'application/problem+json';
}

/** What is at no path of the API is described by the problem of its status alone. */
function responseOf(
  operation: DescribedOperation | undefined,
  status: number,
): DescribedResponse | undefined {
  const found = operation === undefined ? { $ref: `Problem${status}` } : operation.responses[status];
  const name = found?.$ref?.split('/').at(-1);
  return name === undefined ? found : openApi.components.responses[name];
}

/** References within the document, as the validator finds them. */
function located(schema: object): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"openapi#/')) as object;
}
