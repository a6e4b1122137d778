import { type Command, Option } from 'commander';
import type { Blame, DecisionsAround, DryDecision, PolicyDetails, ScalingEvent } from '#contracts';
import type { LoginOptions } from '../asking/log-in.ts';
import type { AskingOptions } from '../asking/run-asking.ts';
import { type ExitStatus, runCommand, type Terminal } from '../run-command.ts';
import type { Ask } from '../server/api-client.ts';
import { examplesOf } from './server-examples.ts';

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
      "the file that holds the token; absent: sign in at the controller's OpenID provider",
    )
    .option('--context <name>', 'what the context is called', 'default')
    .addHelpText(
      'after',
      `
Without --token-file the controller names its OpenID provider, and the sign-in is confirmed in a
browser, on this machine or another: the command prints where, and the code to enter there.

The context is kept in $XDG_CONFIG_HOME/plimsoll/contexts.json, mode 0600. A token of a provider is
renewed as it ends, where the provider gives a refresh token.
${examplesOf('login')}${exitStatuses}`,
    )
    .action((options: LoginOptions) =>
      runCommand(async (terminal) => (await import('../asking/log-in.ts')).logIn(options, terminal)),
    );
  asking(
    program,
    'why <policy>',
    'Print the latest decision of a policy, rule by rule, and the commit behind it.',
  )
    .addOption(at())
    .addOption(watch())
    .action((policy: string, options: DecisionOptions) =>
      runCommand((terminal) => why(policy, options, terminal)),
    );
  asking(
    program,
    'what-if <policy>',
    'Print what would be decided with other bounds, on what was observed last. Nothing is written.',
  )
    .option('--min <count>', "in place of the policy's own minReplicas")
    .option('--max <count>', "in place of the policy's own maxReplicas")
    .action((policy: string, options: WhatIfOptions) =>
      runCommand((terminal) => whatIf(policy, options, terminal)),
    );
  asking(
    program,
    'blame <policy>',
    'Print what stands behind the latest decision: interventions, commit, sync, writes.',
  )
    .addOption(at())
    .action((policy: string, options: DecisionOptions) =>
      runCommand((terminal) => blame(policy, options, terminal)),
    );
}

/** Of the decision in force at a time, in the place of the latest. */
function at(): Option {
  return new Option('--at <time>', 'the decision in force then: RFC 3339, or how long ago (90m, 12h, 7d)');
}

/** Asks again and again. */
export function watch(): Option {
  return new Option('-w, --watch', 'ask again every two seconds, and print what has changed, until Ctrl-C');
}

/** A command that asks a controller. */
export function asking(program: Command, usage: string, description: string): Command {
  const command = program.command(usage).description(description);
  const path = program.parent === null ? command.name() : `${program.name()} ${command.name()}`;
  return command
    .option('--context <name>', 'the context to ask; by default that of the latest login')
    .addOption(new Option('-o, --output <format>', 'for scripts').choices(['json', 'yaml']))
    .addHelpText('after', `${examplesOf(path)}${exitStatuses}`);
}

interface DecisionOptions extends AskingOptions {
  readonly at?: string;
}

interface WhatIfOptions extends AskingOptions {
  readonly min?: string;
  readonly max?: string;
}

async function why(policy: string, options: DecisionOptions, terminal: Terminal): Promise<ExitStatus> {
  const { printAnswer } = await import('../asking/run-asking.ts');
  return printAnswer(terminal, options, {
    load: async (ask) => {
      const [found, present, changed] = await Promise.all([
        blameOf(ask, policy, options),
        presentOf(ask, policy, options),
        lastChangeOf(ask, policy, options),
      ]);
      return { found, present, changed };
    },
    isOneText: true,
    forScripts: ({ found }) => (found === null ? null : found.decision),
    show: async ({ found, present, changed }) => {
      if (found === null) return noDecision(policy, options);
      const [{ showWhy }, { inColour, plain }] = await Promise.all([
        import('../forms/show-policy.ts'),
        import('../decision/explain-decision.ts'),
      ]);
      return showWhy({ ...found, present, changed }, terminal.isColoured ? inColour : plain);
    },
  });
}

async function blame(policy: string, options: DecisionOptions, terminal: Terminal): Promise<ExitStatus> {
  const { printAnswer } = await import('../asking/run-asking.ts');
  return printAnswer(terminal, options, {
    load: async (ask) => {
      const [found, present] = await Promise.all([
        blameOf(ask, policy, options),
        presentOf(ask, policy, options),
      ]);
      return { found, present };
    },
    forScripts: ({ found }) => found,
    show: async ({ found, present }) =>
      found === null
        ? noDecision(policy, options)
        : (await import('../forms/show-policy.ts')).showBlame(found, present),
  });
}

async function whatIf(policy: string, options: WhatIfOptions, terminal: Terminal): Promise<ExitStatus> {
  const [{ policyPath, printAnswer }, { showWhatIf }, { replicaCountOf }] = await Promise.all([
    import('../asking/run-asking.ts'),
    import('../forms/show-what-if.ts'),
    import('../server/replica-count.ts'),
  ]);
  const query = {
    minReplicas: replicaCountOf('--min', options.min)?.toString(),
    maxReplicas: replicaCountOf('--max', options.max)?.toString(),
  };
  return printAnswer(terminal, options, {
    load: (ask) => ask<DryDecision>({ path: `${policyPath(policy)}/what-if`, query }),
    show: async (found) => {
      const { inColour, plain } = await import('../decision/explain-decision.ts');
      return showWhatIf(found, query, terminal.isColoured ? inColour : plain);
    },
  });
}

/** Of the latest decision, or of the one that was in force at a time; null: there is or was none. */
function blameOf(ask: Ask, policy: string, { at: time }: Pick<DecisionOptions, 'at'>): Promise<Blame | null> {
  return time === undefined ? latestBlame(ask, policy) : blameAt(ask, policy, time);
}

async function blameAt(ask: Ask, policy: string, time: string): Promise<Blame | null> {
  const [{ policyPath }, { timeBefore }] = await Promise.all([
    import('../asking/run-asking.ts'),
    import('../server/time-after.ts'),
  ]);
  const query = { time: timeBefore('--at', time), first: '1' };
  const { before } = await ask<DecisionsAround>({ path: `${policyPath(policy)}/decisions-around`, query });
  const [decision] = before;
  if (decision === undefined) return null;
  return ask<Blame>({ path: `/decisions/${encodeURIComponent(decision.id)}/blame` });
}

/** Null: the policy is in force, and nothing is decided yet. A policy that never was is refused. */
async function latestBlame(ask: Ask, policy: string): Promise<Blame | null> {
  const { policyPath } = await import('../asking/run-asking.ts');
  return unlessRefused(() => ask<Blame>({ path: `${policyPath(policy)}/blame` }), 'UnknownDecision');
}

/** The policy as it is now, for a person who asks of now; null: it is in force no more, or not to be had. */
async function presentOf(
  ask: Ask,
  policy: string,
  { at: time, output }: DecisionOptions,
): Promise<PolicyDetails | null> {
  if (time !== undefined || output !== undefined) return null;
  const { policyPath } = await import('../asking/run-asking.ts');
  // What is only said beside a decision fails no question for it.
  return unlessRefused(() => ask<PolicyDetails>({ path: policyPath(policy) }));
}

/** The latest change of the count, or the latest before a time, for a person; null: there is none, or it is not to be had. */
async function lastChangeOf(
  ask: Ask,
  policy: string,
  { at: time, output }: DecisionOptions,
): Promise<ScalingEvent | null> {
  if (output !== undefined) return null;
  const [{ policyPath }, { timeBefore }] = await Promise.all([
    import('../asking/run-asking.ts'),
    import('../server/time-after.ts'),
  ]);
  const until = time === undefined ? undefined : timeBefore('--at', time);
  const path = `${policyPath(policy)}/scaling-events`;
  const query = { first: '1', until };
  const page = await unlessRefused(() => ask<{ readonly items: readonly ScalingEvent[] }>({ path, query }));
  return page?.items[0] ?? null;
}

/** @returns null: it is refused, with the code if one is given */
async function unlessRefused<A>(question: () => Promise<A>, code?: string): Promise<A | null> {
  const { RefusedError } = await import('../server/api-client.ts');
  try {
    return await question();
  } catch (error) {
    if (error instanceof RefusedError && (code === undefined || error.problem.code === code)) return null;
    throw error;
  }
}

/** With the time itself, which of `8h` nobody would know afterwards. */
async function noDecision(policy: string, { at: time }: Pick<DecisionOptions, 'at'>): Promise<string> {
  if (time === undefined) return `nothing is decided yet for ${policy}\n`;
  const { timeBefore } = await import('../server/time-after.ts');
  return `nothing was decided yet for ${policy} at ${timeBefore('--at', time)}\n`;
}
