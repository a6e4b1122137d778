import { Argument, type Command, Option } from 'commander';
import type * as PlanActions from '../actions/plan-actions.ts';
import type { ReleaseOptions } from '../actions/release-all.ts';
import type { ActionOptions, AskedAction } from '../actions/run-action.ts';
import { argumentRefusal } from '../argument-refusal.ts';
import { runCommand } from '../run-command.ts';
import { UnusableError } from '../unusable-error.ts';
import { asking } from './server-reads.command.ts';

type Plan = (operands: readonly string[], options: ActionOptions) => AskedAction;
type Plans = typeof PlanActions;

const lookStatuses = `
What the look at the source came to counts, too:
  0  active, or held: "plimsoll get holds" lists what is held
  1  rejected, or partial: the commit is in force for some tenants only
  2  failed: the repository could not be read`;

const approvalStatus = `
  0  also where the commit is partial, and what was approved is in force: other tenants wait or have errors`;

const releaseStatus = `
Of --all the table has a line per policy, with what was done with it:
  0  all policies are left
  1  some wait: those that are left stay so, and the same command goes on with the others`;

/** Adds what changes something through a controller. */
export function registerServerActions(program: Command): void {
  forAWhile(
    action(
      program,
      'suspend [policy]',
      'Stop scaling of a policy, a namespace, a source or the cluster for a while.',
    ),
  )
    .addOption(
      new Option('--direction <direction>', 'of scaling').choices(['Up', 'Down', 'Both']).default('Both'),
    )
    .action(run((plans) => plans.planSuspension));
  action(
    program,
    'unsuspend <intervention>',
    'End a suspension, an override or a dry run before it expires.',
  ).action(run((plans) => plans.planEnd));
  const dryRun = program
    .command('dry-run')
    .description('Have policies decide and record, and change nothing, for a while.');
  forAWhile(
    action(dryRun, 'on [policy]', 'Begin a dry run of a policy, a namespace, a source or the cluster.'),
  ).action(run((plans) => plans.planDryRun));
  action(
    dryRun,
    'off <intervention>',
    'End a dry run that was begun here; what a document has stays.',
  ).action(run((plans) => plans.planDryRunEnd));
  action(program, 'override <policy>', 'Replace the bounds or the count of a policy for a while.')
    .option('--min <count>', 'in place of minReplicas')
    .option('--max <count>', 'in place of maxReplicas')
    .option('--replicas <count>', 'exactly so many')
    .addOption(lasting())
    .addOption(ending())
    .option('--force', 'also outside guardrails and limits; role admin')
    .action(run((plans) => plans.planOverride));
  looking(action(program, 'approve <source> <digest>', 'Approve exactly one hold.'))
    .addHelpText('after', approvalStatus)
    .action(run((plans) => plans.planApproval));
  action(program, 'reject <source> <digest>', 'Reject one hold: what is in force stays.').action(
    run((plans) => plans.planRejection),
  );
  looking(
    action(program, 'rollback <source> <commit>', 'Put an earlier revision in force, and stay there.'),
  ).action(run((plans) => plans.planRollback));
  registerResume(program);
  registerRelease(program);
  action(
    program,
    'reshard <count>',
    'Spread the policies over another number of shards, 1 to 64; role admin.',
  ).action(run((plans) => plans.planReshard));
  looking(action(program, 'sync <source>', 'Look at a source now.')).action(run((plans) => plans.planSync));
}

function registerResume(program: Command): void {
  const resume = looking(
    action(
      program,
      'resume',
      'Let a source that was rolled back follow its ref again, or a policy that was released come back.',
    ),
  )
    .usage(
      '[options] source <name>\n       plimsoll resume [options] policy <namespace/name> --source <name>',
    )
    .addArgument(new Argument('<kind>', 'what is to be resumed').choices(['source', 'policy']))
    .argument('<name>', 'of the source as the configuration has it, or NAMESPACE/NAME of the policy')
    .option('--source <name>', 'of a policy, which wants it: the source that released it')
    .action(run((plans) => plans.planResumption));
  resume.configureOutput({ outputError: (text, write) => write(resumeRefusal(text)) });
}

/** Of whom a kind or a name was left out, what both are is asked. */
function resumeRefusal(text: string): string {
  return text.startsWith('error: missing required argument')
    ? 'plimsoll: what is to be resumed: resume source NAME, or resume policy NAMESPACE/NAME\n'
    : argumentRefusal(text);
}

/** What ends as the look at the source ends that follows it. */
function looking(command: Command): Command {
  return command.addHelpText('after', lookStatuses);
}

function registerRelease(program: Command): void {
  looking(
    action(
      program,
      'release [policy]',
      'Take a policy out of force, its count kept; with --all every policy, the way out of Plimsoll.',
    ),
  )
    .option('--source <name>', 'the source of the policy')
    .option('--all', 'every policy of every source; ends all interventions, role admin')
    .addOption(
      new Option('--to <target>', 'what carries targets on: a plain HPA each, or nothing').choices([
        'hpa',
        'none',
      ]),
    )
    .addHelpText('after', releaseStatus)
    .option('--manifests <folder>', 'with --all: also write the plain HPAs to files, with --dry-run, too')
    .action(release);
}

function forAWhile(command: Command): Command {
  return command
    .option('--namespace <name>', 'all policies of a namespace')
    .option('--source <name>', 'all policies of a source')
    .option('--metric-source <name>', 'all policies with a metric of a source, such as prometheus/main')
    .option('--cluster', 'all policies')
    .addOption(lasting())
    .addOption(ending());
}

const longest = "at most 24h, unless the controller's interventions.maximumHours says otherwise";

function lasting(): Option {
  return new Option('--for <duration>', `how long: 90m, 4h; ${longest}`).default('1h');
}

function ending(): Option {
  return new Option('--until <time>', 'RFC 3339, in place of --for; no longer').conflicts('for');
}

function action(program: Command, usage: string, description: string): Command {
  return asking(program, usage, description)
    .option('--reason <sentence>', 'why, for the readers of the ledger')
    .option('--dry-run', 'only say what it would do')
    .option('--confirm <digest>', 'do it only while it does what the dry run said');
}

function release(policy: string | undefined, options: ReleaseOptions, command: Command): Promise<void> {
  if (options.all !== true && options.manifests === undefined && options.to === undefined)
    return run((plans) => plans.planRelease)(policy, options, command);
  return runCommand(async (terminal) => {
    if (options.all !== true)
      throw new UnusableError('--to and --manifests want --all; one policy that is released keeps its count');
    if (policy !== undefined) throw new UnusableError('--all names every policy: name none beside it');
    if (options.source !== undefined)
      throw new UnusableError('--all is every policy of every source: name no --source beside it');
    return (await import('../actions/release-all.ts')).releaseAll(options, terminal);
  });
}

/** Commander calls with the operands, the options, and the command. */
function run(plan: (plans: Plans) => Plan): (...given: readonly unknown[]) => Promise<void> {
  return (...given) => {
    const options = given.at(-2) as ActionOptions;
    const operands = given.slice(0, -2).filter((operand) => typeof operand === 'string');
    return runCommand(async (terminal) => {
      const [plans, { carryOut }] = await Promise.all([
        import('../actions/plan-actions.ts'),
        import('../actions/run-action.ts'),
      ]);
      return carryOut(plan(plans)(operands, options), options, terminal);
    });
  };
}
