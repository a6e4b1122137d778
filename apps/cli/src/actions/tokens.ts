import { type FileHandle, open, rm, stat } from 'node:fs/promises';
import type { CreatedToken, Token } from '#contracts';
import { fileFault } from '#kernel';
import type { ListOptions } from '../asking/list-options.ts';
import { type AskingOptions, printAnswer } from '../asking/run-asking.ts';
import { grantsText } from '../forms/grants.ts';
import { tokensForm } from '../forms/list-forms.ts';
import { requiredText } from '../forms/print-answer.ts';
import { printList } from '../lists/get-list.ts';
import { requireNamespaces } from '../namespace-argument.ts';
import type { ExitStatus, Terminal } from '../run-command.ts';
import type { Ask } from '../server/api-client.ts';
import { loadAll } from '../server/load-items.ts';
import { timeAfter } from '../server/time-after.ts';
import { wholeToken } from '../server/whole-name.ts';
import { UnusableError } from '../unusable-error.ts';

/** A role as it is given, and the namespaces that follow it. */
export interface AskedGrant {
  readonly role: string;
  readonly namespaces: readonly string[];
}

/** What a token is made of. */
export interface TokenOptions extends AskingOptions {
  readonly grants: readonly AskedGrant[];
  readonly expires: string;
  readonly reason: string;
  readonly tokenFile?: string;
}

/**
 * Makes a token. Only the token itself is printed, or kept in a file that only its owner reads; the rest is a message.
 *
 * @throws UnusableError
 */
export async function createToken(
  name: string,
  options: TokenOptions,
  terminal: Terminal,
): Promise<ExitStatus> {
  const { grants, reason, tokenFile } = options;
  const body = {
    name,
    grants: checkedGrants(grants),
    expires: timeAfter('--expires', options.expires),
    reason,
  };
  // Made before the token is: what cannot be kept is not asked for.
  const file = tokenFile === undefined ? null : await newFile(tokenFile);
  try {
    return await printAnswer<CreatedToken | Token>(terminal, options, {
      load: async (ask) => {
        const created = await ask<CreatedToken>({ method: 'POST', path: '/tokens', body });
        requiredText(created.token);
        if (file === null) return created;
        const { token, ...rest } = created;
        await file.writeFile(`${token}\n`);
        return rest;
      },
      show: (made) => {
        const { id, grants: held, expiresAt } = made;
        const kept = tokenFile === undefined ? '' : `; it is in ${tokenFile}`;
        terminal.messages.write(
          `token ${made.name} (${id}): ${grantsText(held)}, until ${expiresAt}${kept}\n`,
        );
        return 'token' in made ? `${made.token}\n` : '';
      },
    });
  } finally {
    await file?.close();
    if (tokenFile !== undefined && (await stat(tokenFile)).size === 0) await rm(tokenFile);
  }
}

export function listTokens(options: ListOptions, terminal: Terminal): Promise<ExitStatus> {
  return printList({ name: 'tokens', path: '/tokens', form: tokensForm }, options, terminal);
}

export function revokeToken(
  id: string,
  options: AskingOptions & { readonly reason: string },
  terminal: Terminal,
): Promise<ExitStatus> {
  return printAnswer<Revoked>(terminal, options, {
    load: async (ask) => {
      const whole = await wholeToken(ask, id);
      const before = await validTokens(ask);
      const path = `/tokens/${encodeURIComponent(whole)}`;
      const token = await ask<Token>({ method: 'DELETE', path, query: { reason: options.reason } });
      const left = new Set((await validTokens(ask)).map((each) => each.id));
      return { token, along: before.filter((each) => each.id !== token.id && !left.has(each.id)) };
    },
    forScripts: ({ token }) => token,
    show: ({ token: { name, revokedAt }, along }) => {
      const others = along.map((each) => `  and with it ${each.name} (${each.id})\n`).join('');
      return `${requiredText(name)} is revoked since ${revokedAt ?? 'now'}\n${others}`;
    },
  });
}

interface Revoked {
  readonly token: Token;
  /** Those that were made with it, and were valid until then. */
  readonly along: readonly Token[];
}

/** Those that the caller may see; none where they are not to be had, which fails no revocation. */
async function validTokens(ask: Ask): Promise<readonly Token[]> {
  try {
    const tokens = (await loadAll(ask, '/tokens')) as readonly Token[];
    return tokens.filter(({ revokedAt }) => revokedAt === null);
  } catch {
    return [];
  }
}

function checkedGrants(grants: readonly AskedGrant[]): readonly AskedGrant[] {
  if (grants.length === 0)
    throw new UnusableError('a token wants --role ROLE --namespace NAME, which may be repeated');
  for (const { namespaces } of grants) requireNamespaces(namespaces, 'Pattern');
  const nowhere = grants.find(({ namespaces }) => namespaces.length === 0);
  if (nowhere === undefined) return grants;
  throw new UnusableError(`--role ${nowhere.role} wants --namespace after it; '*' is every namespace`);
}

/** A file that is there already is left as it is: it may be a link, or have a wider mode. @throws UnusableError */
function newFile(path: string): Promise<FileHandle> {
  return open(path, 'wx', 0o600).catch((error: unknown) => {
    throw new UnusableError(`cannot make ${path}: ${fileFault(error, path)}`);
  });
}
