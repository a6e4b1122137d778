import type { Caller, SignInOffer } from '#contracts';
import { grantsText } from '../forms/grants.ts';
import { requiredText, understood } from '../forms/print-answer.ts';
import type { ExitStatus, Terminal } from '../run-command.ts';
import { ask, askOpenly, RefusedError, UnknownTokenError } from '../server/api-client.ts';
import { type Context, saveContext, timeoutIn } from '../server/contexts.ts';
import { onOneLine } from '../server/one-line.ts';
import { readToken } from '../server/read-token.ts';
import { UnusableError } from '../unusable-error.ts';

/** What is kept under which name. */
export interface LoginOptions {
  readonly server: string;
  /** Absent: the person signs in at the provider that the controller names. */
  readonly tokenFile?: string;
  readonly context: string;
}

/** For tests. */
export interface LoginTiming {
  readonly wait?: (seconds: number) => Promise<unknown>;
}

/** Keeps a controller and a token that it knows: one of a file, or of the OpenID provider of the controller. */
export async function logIn(
  options: LoginOptions,
  terminal: Terminal,
  timing: LoginTiming = {},
): Promise<ExitStatus> {
  const { server, tokenFile, context: name } = options;
  const { environment, messages } = terminal;
  const context =
    tokenFile === undefined
      ? await signedInContext(server, terminal, timing)
      : { server, token: await readToken(tokenFile) };
  if (context === null) return 1;
  let greeting: string;
  try {
    greeting = await understood(server, async () =>
      describeCaller(await ask<Caller>({ ...context, ...timeoutIn(environment) }, { path: '/me' })),
    );
  } catch (error) {
    if (error instanceof UnknownTokenError && tokenFile === undefined) throw withoutRole(server);
    if (!(error instanceof RefusedError)) throw error;
    messages.write(
      `plimsoll: ${error.message}${error.problem.code === 'NotFound' ? pathHint(server) : ''}\n`,
    );
    return 1;
  }
  const file = await saveContext(name, context, environment);
  messages.write(greeting);
  messages.write(`context ${name} is kept in ${file}\n`);
  return 0;
}

/** The provider has just made the token, so that it is not mistyped, revoked or over. */
function withoutRole(server: string): UnusableError {
  return new UnusableError(
    `the OpenID provider has signed you in, but ${server} does not let you in: none of the groups that the provider names for you has a role there (auth.oidc.grants)`,
  );
}

/** A controller may be behind a path of a proxy; that of its APIs is none of it. Empty: no path was given. */
function pathHint(server: string): string {
  const { origin, pathname } = new URL(server);
  if (pathname === '/') return '';
  return `; --server wants the address of the controller without the path of an API: ${origin}`;
}

/** Null: the sign-in was refused, which is said. */
async function signedInContext(
  server: string,
  { environment, messages }: Terminal,
  timing: LoginTiming,
): Promise<Context | null> {
  const asked = { server, ...timeoutIn(environment) };
  const { device } = (await askOpenly(asked, '/auth/session')) as Partial<SignInOffer>;
  if (device === undefined || device === null) {
    throw new UnusableError(
      `${server} names no OpenID provider to log in at: log in with --token-file${pathHint(server)}`,
    );
  }
  const { signInByDevice, SignInRefusedError } = await import('../server/sign-in-by-device.ts');
  try {
    const say = (line: string): void => void messages.write(`${line}\n`);
    return { server, ...(await signInByDevice(device, { say, ...timing })) };
  } catch (error) {
    if (!(error instanceof SignInRefusedError)) throw error;
    messages.write(`plimsoll: ${error.message}\n`);
    return null;
  }
}

/** `ann/ci: operator in shop, shop-*; viewer everywhere; until …` */
function describeCaller({ name, grants, token }: Caller): string {
  const end = token === null ? '' : `; the token expires at ${token.expiresAt}`;
  return `logged in as ${onOneLine(requiredText(name))}: ${grantsText(grants)}${end}\n`;
}
