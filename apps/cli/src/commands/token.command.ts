import { type Command, InvalidArgumentError, Option } from 'commander';
import type { AskedGrant, TokenOptions } from '../actions/tokens.ts';
import type { ListOptions } from '../asking/list-options.ts';
import type { AskingOptions } from '../asking/run-asking.ts';
import { runCommand } from '../run-command.ts';
import { listing } from './server-lists.command.ts';
import { asking } from './server-reads.command.ts';

/** Adds what makes, lists and revokes API tokens. */
export function registerTokenCommand(program: Command): void {
  const token = program.command('token').description('Make, list and revoke API tokens.');
  const grants = new GivenGrants();
  asking(token, 'create <name>', 'Make a token of what you may do yourself at most, and print it, once.')
    .requiredOption('--expires <time>', 'RFC 3339, or from now: 12h, 30d')
    .requiredOption('--reason <sentence>', 'what it is for, for the readers of the ledger')
    .addOption(
      new Option('--role <role>', 'may be repeated').choices(roles).argParser((role) => grants.begin(role)),
    )
    .option(
      '--namespace <name>',
      "where the role before it holds: a name, a pattern as 'shop-*', or '*'; may be repeated",
      (name) => grants.add(name),
    )
    .option('--token-file <path>', 'a new file for the token, mode 0600, in place of the output')
    .action((name: string, options: Omit<TokenOptions, 'grants'>) =>
      runCommand(async (terminal) =>
        (await import('../actions/tokens.ts')).createToken(
          name,
          { ...options, grants: grants.all },
          terminal,
        ),
      ),
    );
  listing(asking(token, 'list', "List your tokens; to an administrator, everyone's.")).action(
    (options: ListOptions) =>
      runCommand(async (terminal) => (await import('../actions/tokens.ts')).listTokens(options, terminal)),
  );
  asking(token, 'revoke <id>', 'Revoke a token and those that were made with it.')
    .requiredOption('--reason <sentence>', 'why, for the readers of the ledger')
    .action((id: string, options: AskingOptions & { readonly reason: string }) =>
      runCommand(async (terminal) =>
        (await import('../actions/tokens.ts')).revokeToken(id, options, terminal),
      ),
    );
}

/** Each with what the ones before it may do. */
const roles: readonly string[] = ['viewer', 'operator', 'approver', 'admin'];

/** Roles and namespaces in the order in which they are given: a namespace belongs to the role before it. */
class GivenGrants {
  #grants: readonly AskedGrant[] = [];

  get all(): readonly AskedGrant[] {
    return this.#grants;
  }

  /** @throws InvalidArgumentError */
  begin(role: string): void {
    if (!roles.includes(role)) throw new InvalidArgumentError(`Allowed choices are ${roles.join(', ')}.`);
    this.#grants = [...this.#grants, { role, namespaces: [] }];
  }

  /** @throws InvalidArgumentError where no role is before it */
  add(namespace: string): void {
    const last = this.#grants.at(-1);
    if (last === undefined) throw new InvalidArgumentError('It wants --role before it.');
    const namespaces = [...last.namespaces, namespace];
    this.#grants = [...this.#grants.slice(0, -1), { ...last, namespaces }];
  }
}
