import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { InteractionResults, Provider } from 'oidc-provider';

type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>;

/** Below it people say who they are, and what they agree to. */
export const interactionPath = '/interaction/';

/** The pages of a provider that ask for a name, with any password, and then for consent; a form answers each. */
export async function interact(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const interaction = await provider.interactionDetails(request, response);
    if (request.method !== 'POST') {
      response.setHeader('content-type', 'text/html; charset=utf-8').end(pageOf(interaction));
      return;
    }
    const form = new URLSearchParams(await text(request));
    const result = await resultOf(provider, interaction, form);
    await provider.interactionFinished(request, response, result);
  } catch (error) {
    // Of no browser that the provider has sent here.
    response.writeHead(400).end(error instanceof Error ? error.message : '');
  }
}

async function resultOf(
  provider: Provider,
  { prompt, params, session, grantId }: Interaction,
  form: URLSearchParams,
): Promise<InteractionResults> {
  if (prompt.name === 'login') return { login: { accountId: form.get('login') ?? '' } };
  const known = grantId === undefined ? undefined : await provider.Grant.find(grantId);
  const grant =
    known ?? new provider.Grant({ accountId: session?.accountId, clientId: String(params['client_id']) });
  const { missingOIDCScope = [], missingOIDCClaims = [] } = prompt.details as {
    readonly missingOIDCScope?: readonly string[];
    readonly missingOIDCClaims?: readonly string[];
  };
  grant.addOIDCScope([...missingOIDCScope]);
  grant.addOIDCClaims([...missingOIDCClaims]);
  return { consent: { grantId: await grant.save() } };
}

function pageOf({ prompt }: Interaction): string {
  const fields =
    prompt.name === 'login'
      ? '<input name="login" required><input name="password" type="password" required><button>Sign-in</button>'
      : '<button>Continue</button>';
  return `<!doctype html><html lang="en"><title>A provider</title><link rel="icon" href="data:,"><form method="post">${fields}</form>`;
}
