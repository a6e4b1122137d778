import { soon } from '../../../e2e/support/soon.ts';
import { type AnApplication, codesOf, type GraphqlAnswer, orRefusal } from '../an-application.ts';
import { graphqlPlaces } from './graphql-places.ts';
import { restPlaces } from './rest-places.ts';

/** Texts that nobody means, and that must do nothing wherever they stand. */
const hostileTexts: Readonly<Record<string, string>> = {
  'SQL behind a quote': "x' OR '1'='1'; DROP TABLE ledger_entry; --",
  'SQL behind a double quote': 'x") UNION SELECT sha256 FROM api_token; --',
  'a backslash and quotes': '\\\'"`;',
  'placeholders of SQL': '? $1 :name @p {0}',
  NUL: 'shop\u0000web',
  'NUL in an id': 'policy:shop/web\u0000#1',
  'wildcards of SQL': '%_%',
  'a name that every object has': '__proto__',
  'a path upwards': '../../../etc/passwd',
  'writing from right to left': '\u202Egpj.\u05D0\u05D1',
  'half of a character': 'shop\uD800',
  '10 kB': 'a'.repeat(10_240),
};

/** A request to the API. */
export interface ApiRequest {
  /** As it is sent, escaped. */
  readonly path: string;
  readonly method: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
}

/** A place of the API where a text may stand. */
export interface StringPlace {
  readonly place: string;
  /** What is sent with the text there, and nothing else that is wrong; undefined: HTTP does not carry it there. */
  readonly requestWith: (text: string) => ApiRequest | undefined;
}

/** Every place for a text in queries and mutations of GraphQL and in operations of REST. */
export const stringPlaces: readonly StringPlace[] = [...graphqlPlaces(), ...restPlaces()];

/** Puts each text there, and tells what was answered otherwise than with a stable code, or nothing. */
export async function problemsAt(
  application: Pick<AnApplication, 'url' | 'tokens'>,
  { requestWith }: StringPlace,
): Promise<readonly string[]> {
  const found = await Promise.all(
    Object.entries(hostileTexts).map(async ([name, text]) => {
      const request = requestWith(text);
      const problem = request === undefined ? null : await problemOf(application, request);
      return problem === null ? [] : [`${name}: ${problem}`];
    }),
  );
  return found.flat();
}

/** Null: it is answered, or refused with a code. */
async function problemOf(
  { url, tokens }: Pick<AnApplication, 'url' | 'tokens'>,
  { path, method, headers, body }: ApiRequest,
): Promise<string | null> {
  const response = await fetch(`${url()}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${tokens.admin}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const shown = `${response.status} ${text.slice(0, 500)}`;
  if (response.status >= 500 || /InternalError|node_modules|\bat file:/.test(text)) return shown;
  return response.status < 400 || hasCode(text) ? null : shown;
}

function hasCode(text: string): boolean {
  const { code, errors } = JSON.parse(text) as { readonly code?: string } & Pick<
    GraphqlAnswer['body'],
    'errors'
  >;
  return (code ?? errors?.[0]?.extensions.code) !== undefined;
}

/** Resolves when each policy has been looked at once: its pass changes what stands by itself. */
export function carriedOut({ ask }: Pick<AnApplication, 'ask'>): Promise<true> {
  return soon('every policy was looked at', async () => {
    const { body } = await ask('{ policies(first: 100) { edges { node { status { time } } } } }');
    const { policies } = body.data as {
      readonly policies: { readonly edges: readonly { readonly node: { readonly status: object | null } }[] };
    };
    return policies.edges.every(({ node }) => node.status !== null) || undefined;
  });
}

/** What no such text may change: what is in force, who may what, and what is recorded beside decisions and refusals. */
export async function whatMayChange({ ask }: Pick<AnApplication, 'ask'>): Promise<string> {
  const { body } = await ask(`{
    policies(first: 100) { edges { node { id document } } }
    sources { name url ref commit { hash } pin { commit } released { policy } }
    interventions { id } tokens { id } reports { id }
    auditEntries(first: 100, where: {
      kinds: [PolicyChange, StrategyChange, SyncRun, SettingsChange, RetentionRun, ScalingIntent, ScalingEvent]
    }) { edges { node { id } } }
  }`);
  if (body.errors !== undefined) throw new Error(body.errors[0]?.message);
  return JSON.stringify(body.data);
}

/** Begins and ends an intervention for each text as its reason; tells of those that are recorded otherwise. */
export async function lostReasons({ ask }: Pick<AnApplication, 'ask'>): Promise<readonly string[]> {
  const lost: string[] = [];
  for (const [name, text] of Object.entries(hostileTexts)) {
    const expires = new Date(Date.now() + 3_600_000).toISOString();
    const answer = await ask(
      `mutation { suspendScaling(scope: Cluster, direction: Up, expires: "${expires}", reason: ${JSON.stringify(text)}) { ... on Intervention { id } ${orRefusal} } }`,
    );
    const [code] = codesOf(answer);
    if (code === 'InternalError') lost.push(`${name}: ${code}`);
    if (code !== undefined) continue;
    const { suspendScaling: begun } = answer.body.data as {
      readonly suspendScaling: { readonly id: string };
    };
    const recorded = JSON.stringify((await ask(standingReason)).body.data);
    const twice = JSON.stringify({
      interventions: [{ reason: text }],
      auditEntries: { edges: [{ node: { reason: text } }] },
    });
    if (recorded !== twice) lost.push(`${name}: ${recorded}`);
    await ask(`mutation { endSuspension(id: "${begun.id}", reason: "over") { __typename } }`);
  }
  return lost;
}

const standingReason =
  '{ interventions { reason } auditEntries(first: 1, where: { kinds: [OperatorAction] }) { edges { node { ... on OperatorAction { reason } } } } }';
