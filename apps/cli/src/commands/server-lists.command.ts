import { Argument, type Command, InvalidArgumentError, Option } from 'commander';
import { auditEntryKinds, decisionActions, interventionKinds, policyStates } from '#contracts/choices';
import type { ListOptions } from '../asking/list-options.ts';
import type { AskedList } from '../lists/get-list.ts';
import { type ExitStatus, runCommand, type Terminal } from '../run-command.ts';
import { asking, watch } from './server-reads.command.ts';

/** Adds what lists what a controller has: get, history, changes. */
export function registerServerLists(program: Command): void {
  registerGet(program);
  listing(
    asking(
      program,
      'history <policy>',
      "Print the changes of a policy's count, newest first, also after it left.",
    ),
  )
    .addOption(from())
    .addOption(until())
    .addOption(watch())
    .action((policy: string, options: ListOptions) =>
      runCommand((terminal) => history(policy, options, terminal)),
    );
  listing(
    asking(program, 'changes <policy>', 'Print the versions of a policy, and the commits that brought them.'),
  ).action((policy: string, options: ListOptions) =>
    runCommand((terminal) => changes(policy, options, terminal)),
  );
}

function registerGet(program: Command): void {
  listing(
    asking(
      program,
      'get',
      'List policies, or what LIST names: what each list has, and what narrows it, is below.',
    ),
  )
    .addArgument(new Argument('[list]', 'what to list; policies if none is named').choices(lists))
    .addOption(repeatable('--namespace <name>', 'of this namespace'))
    .option(
      '--policy <namespace/name>',
      'decisions of this policy; audit entries of it, and what operators did to it',
    )
    .option('--source <name>', 'revisions of this source')
    .addOption(repeatable('--state <state>', 'policies of which this may be said', policyStates))
    .addOption(
      repeatable('--kind <kind>', 'audit entries or interventions of this kind', [
        ...auditEntryKinds,
        ...interventionKinds,
      ]),
    )
    .addOption(new Option('--action <action>', 'decisions that do this').choices(decisionActions))
    .option('--actor <name>', 'audit entries or interventions of a person or token')
    .option('--commit <hash>', 'audit entries of a commit, by its hash or at least 7 of its first digits')
    .addOption(from())
    .addOption(until())
    .addOption(
      new Option(
        '--around <time>',
        'of --policy the decisions before and after it, 3 on each side unless --limit says otherwise',
      ),
    )
    .addOption(watch())
    .addHelpText('after', filterHelp)
    .action((list: string | undefined, options: ListOptions) =>
      runCommand(async (terminal) =>
        (await import('../lists/get-list.ts')).getList(list ?? 'policies', options, terminal),
      ),
    );
}

const lists = [
  'policies',
  'sources',
  'revisions',
  'holds',
  'interventions',
  'replicas',
  'flapping',
  'orphaned-hpas',
  'degraded',
  'report-schedules',
  'decisions',
  'scaling-events',
  'audit-entries',
] as const;

const filterHelp = `
The lists, and what narrows each:
  policies          what is in force (the default)
                      --namespace --state
  sources           the repositories, and what each has come to
  revisions         the commits of a source, and what they came to
                      --source, which they want
  holds             what waits for an approval, or was rejected
  interventions     suspensions, overrides and dry runs that stand
                      --namespace --kind --actor
  replicas          the controllers that share the policies
  flapping          the policies whose count goes up and down
                      --from (12h) --until
  orphaned-hpas     HPAs that were made for a policy, and that none explains now
  degraded          what of the controller does not work
  report-schedules  reports that are made on a schedule
  decisions         what was decided, and why
                      --namespace or --policy, --action --from --until;
                      or --policy --around
  scaling-events    changes of counts
                      --namespace --from --until
  audit-entries     everything that is recorded
                      --namespace --policy --kind --actor --commit --from --until
Revisions, decisions, scaling events and audit entries are listed newest first,
50 of them unless --limit says otherwise; of what --sort orders, the first
10,000 are looked at. Names of columns are as in the table, "stale-since" for
two words.`;

/** One value each time, so that no operand is taken for one. */
function repeatable(flags: string, description: string, choices?: readonly string[]): Option {
  const option = new Option(flags, `${description}; may be repeated`);
  if (choices !== undefined) option.choices(choices);
  return option.argParser((value, before: readonly string[] | undefined) => {
    if (choices?.includes(value) === false)
      throw new InvalidArgumentError(`Allowed choices are ${choices.join(', ')}.`);
    return [...(before ?? []), value];
  });
}

/** How much of a list, in which order. */
export function listing(command: Command): Command {
  return command
    .option('--limit <count>', 'so many at most, 1 to 10000')
    .option('--sort <column>', 'by a column of the table; what has no value there comes last')
    .option('--reverse', 'the highest first; wants --sort');
}

function from(): Option {
  return new Option('--from <time>', 'at or after it: RFC 3339, or how long ago (90m, 12h, 7d)');
}

function until(): Option {
  return new Option('--until <time>', 'before it, the same');
}

async function history(policy: string, options: ListOptions, terminal: Terminal): Promise<ExitStatus> {
  const [{ printList }, { historyForm }, { policyPath }, { departureText, requireKnown }] = await forLists();
  const path = policyPath(policy);
  const whenEmpty: AskedList['whenEmpty'] = {
    require: (ask) => requireKnown(ask, path),
    text: `the count of ${policy} has not changed${sinceText(options)}\n`,
  };
  const list: AskedList = {
    name: 'changes',
    path: `${path}/scaling-events`,
    form: historyForm,
    whenEmpty,
    note: (ask) => departureText(ask, path, policy),
  };
  return printList(list, options, terminal);
}

function sinceText({ from, until }: ListOptions): string {
  return from === undefined && until === undefined ? ' yet' : ' then';
}

async function changes(policy: string, options: ListOptions, terminal: Terminal): Promise<ExitStatus> {
  const [{ printList }, , { policyPath }, { requireKnown }] = await forLists();
  const { changesForm } = await import('../forms/versions-form.ts');
  const path = policyPath(policy);
  const whenEmpty: AskedList['whenEmpty'] = {
    require: (ask) => requireKnown(ask, path),
    text: `no version of ${policy} is recorded\n`,
  };
  const list = { name: 'versions', path: `${path}/versions`, form: changesForm, whenEmpty };
  return printList(list, options, terminal);
}

function forLists() {
  return Promise.all([
    import('../lists/get-list.ts'),
    import('../forms/list-forms.ts'),
    import('../asking/run-asking.ts'),
    import('../forms/policy-departure.ts'),
  ]);
}
