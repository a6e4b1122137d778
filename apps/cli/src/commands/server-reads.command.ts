import { type Command, Option } from 'commander';
import type { Blame, DecisionsAround, DryDecision } from '#contracts';
import { type ExitStatus, runCommand, type Terminal } from '../run-command.ts';
import type { ApiRequest } from '../server/api-client.ts';
import type { LoginOptions } from '../server/log-in.ts';
import type { AskingOptions } from '../server/run-asking.ts';

const exitStatuses = `
Exit status:
  0  answered
  1  the controller refused: there is no such thing, or the token may not
  2  could not ask: unusable arguments, no context, no controller`;

/** Adds what asks a controller: login, why, what-if, blame. */
export function registerServerReads(program: Command): void {
  program
    .command('login')
    .description('Keep a controller and a token as a context, which later commands ask.')
    .requiredOption('--server <url>', 'the address of the controller')
    .option(
      '--token-file <path>',
      'the file that holds the token; absent: sign in at the controller’s OpenID provider',
    )
    .option('--context <name>', 'what the context is called', 'default')
    .addHelpText(
      'after',
      `
Without --token-file the controller names its OpenID provider, and the sign-in is confirmed in a
browser, on this machine or another: the command prints where, and the code to enter there.

The context is kept in $XDG_CONFIG_HOME/plimsoll/contexts.json, mode 0600. A token of a provider is
renewed as it ends, where the provider gives a refresh token.
${exitStatuses}`,
    )
    .action((options: LoginOptions) =>
      runCommand(async (terminal) => (await import('../server/log-in.ts')).logIn(options, terminal)),
    );
  asking(
    program,
    'why <policy>',
    'Print the latest decision of a policy, rule by rule, and the commit behind it.',
  )
    .option('--at <time>', 'the decision in force then: RFC 3339, or how long ago (90m, 12h, 7d)')
    .addOption(watch())
    .action((policy: string, options: WhyOptions) =>
      runCommand((terminal) => why(policy, options, terminal)),
    );
  asking(
    program,
    'what-if <policy>',
    'Print what would be decided with other bounds, on what was observed last. Nothing is written.',
  )
    .option('--min <count>', 'in place of the policy’s own minReplicas')
    .option('--max <count>', 'in place of the policy’s own maxReplicas')
    .action((policy: string, options: WhatIfOptions) =>
      runCommand((terminal) => whatIf(policy, options, terminal)),
    );
  asking(
    program,
    'blame <policy>',
    'Print what stands behind the latest decision: commit, sync, writes.',
  ).action((policy: string, options: AskingOptions) =>
    runCommand((terminal) => blame(policy, options, terminal)),
  );
}

/** Asks again and again. */
export function watch(): Option {
  return new Option('-w, --watch', 'ask again every two seconds, and print what has changed, until Ctrl-C');
}

/** A command that asks a controller. */
export function asking(program: Command, usage: string, description: string): Command {
  return program
    .command(usage)
    .description(description)
    .option('--context <name>', 'the context to ask; by default that of the latest login')
    .addOption(new Option('-o, --output <format>', 'for scripts').choices(['json', 'yaml']))
    .addHelpText('after', exitStatuses);
}

interface WhyOptions extends AskingOptions {
  readonly at?: string;
}

interface WhatIfOptions extends AskingOptions {
  readonly min?: string;
  readonly max?: string;
}

async function why(policy: string, options: WhyOptions, terminal: Terminal): Promise<ExitStatus> {
  const { printAnswer } = await import('../server/run-asking.ts');
  let found: Blame | null = null;
  return printAnswer(terminal, options, {
    // Scripts get the decision alone.
    load: async (ask) => {
      found = await (options.at === undefined
        ? latestBlame(ask, policy)
        : blameAt(ask, { policy, at: options.at }));
      return found === null ? null : found.decision;
    },
    show: async () => {
      if (found === null) return options.at === undefined ? notYet(policy) : notThen(policy, options.at);
      const [{ showWhy }, { inColour, plain }] = await Promise.all([
        import('../server/show-policy.ts'),
        import('../decision/explain-decision.ts'),
      ]);
      return showWhy(found, terminal.isColoured ? inColour : plain);
    },
  });
}

async function blame(policy: string, options: AskingOptions, terminal: Terminal): Promise<ExitStatus> {
  const { printAnswer } = await import('../server/run-asking.ts');
  return printAnswer(terminal, options, {
    load: (ask) => latestBlame(ask, policy),
    show: async (found) =>
      found === null ? notYet(policy) : (await import('../server/show-policy.ts')).showBlame(found),
  });
}

async function whatIf(policy: string, options: WhatIfOptions, terminal: Terminal): Promise<ExitStatus> {
  const [{ policyPath, printAnswer }, { showWhatIf }, { replicaCountOf }] = await Promise.all([
    import('../server/run-asking.ts'),
    import('../server/show-what-if.ts'),
    import('../server/replica-count.ts'),
  ]);
  return printAnswer(terminal, options, {
    load: (ask) => {
      const query = {
        minReplicas: replicaCountOf('--min', options.min)?.toString(),
        maxReplicas: replicaCountOf('--max', options.max)?.toString(),
      };
      return ask<DryDecision>({ path: `${policyPath(policy)}/what-if`, query });
    },
    show: async (found) => {
      const { inColour, plain } = await import('../decision/explain-decision.ts');
      return showWhatIf(found, terminal.isColoured ? inColour : plain);
    },
  });
}

/** Of the decision that was in force at a time; null: none was. */
async function blameAt(
  ask: <A>(request: ApiRequest) => Promise<A>,
  { policy, at }: { readonly policy: string; readonly at: string },
): Promise<Blame | null> {
  const [{ policyPath }, { timeBefore }] = await Promise.all([
    import('../server/run-asking.ts'),
    import('../server/time-after.ts'),
  ]);
  const query = { time: timeBefore('--at', at), first: '1' };
  const { before } = await ask<DecisionsAround>({ path: `${policyPath(policy)}/decisions-around`, query });
  const [decision] = before;
  if (decision === undefined) return null;
  return ask<Blame>({ path: `/decisions/${encodeURIComponent(decision.id)}/blame` });
}

/** Null: the policy is in force, and nothing is decided yet. A policy that never was is refused. */
async function latestBlame(
  ask: <A>(request: ApiRequest) => Promise<A>,
  policy: string,
): Promise<Blame | null> {
  const [{ policyPath }, { RefusedError }] = await Promise.all([
    import('../server/run-asking.ts'),
    import('../server/api-client.ts'),
  ]);
  try {
    return await ask<Blame>({ path: `${policyPath(policy)}/blame` });
  } catch (error) {
    if (error instanceof RefusedError && error.problem.code === 'UnknownDecision') return null;
    throw error;
  }
}

function notYet(policy: string): string {
  return `nothing is decided yet for ${policy}\n`;
}

function notThen(policy: string, at: string): string {
  return `nothing was decided yet for ${policy} at ${at}\n`;
}
