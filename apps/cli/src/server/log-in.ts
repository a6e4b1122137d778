import { readFile } from 'node:fs/promises';
import type { Caller } from '#contracts';
import { messageOf } from '#kernel';
import type { ExitStatus, Terminal } from '../run-command.ts';
import { UnusableError } from '../unusable-error.ts';
import { ask, RefusedError } from './api-client.ts';
import { saveContext } from './contexts.ts';
import { grantsText } from './grants.ts';

/** Keeps a controller and a token that it knows. */
export async function logIn(
  {
    server,
    tokenFile,
    context: name,
  }: { readonly server: string; readonly tokenFile: string; readonly context: string },
  { environment, messages }: Terminal,
): Promise<ExitStatus> {
  const token = await readFile(tokenFile, 'utf8').catch((error: unknown) => {
    throw new UnusableError(`cannot read ${tokenFile}: ${messageOf(error)}`);
  });
  const context = { server, token: token.trim() };
  let caller: Caller;
  try {
    caller = await ask<Caller>(context, { path: '/me' });
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    messages.write(`plimsoll: ${error.message}\n`);
    return 1;
  }
  const file = await saveContext(name, context, environment);
  messages.write(describeCaller(caller));
  messages.write(`context ${name} is kept in ${file}\n`);
  return 0;
}

/** `ann/ci: operator in shop, shop-*; viewer everywhere; until …` */
function describeCaller({ name, grants, token }: Caller): string {
  const end = token === null ? '' : `; the token expires at ${token.expiresAt}`;
  return `logged in as ${name}: ${grantsText(grants)}${end}\n`;
}
