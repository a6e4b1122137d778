import { type Command, Help } from 'commander';

/** The commands by what a person comes for, in the order of the help, each in one line of a screen of 80 columns. */
const groups = {
  'Ask a controller:': {
    get: 'list policies, sources, holds, entries, and more',
    why: 'the latest decision, and the commit behind it',
    'what-if': 'what other bounds would come to',
    blame: 'who and what allowed a count',
    history: 'how a count has changed',
    changes: 'how a policy has changed, and by which commits',
  },
  'Act:': {
    suspend: 'stop scaling for a while',
    override: 'other bounds, or a fixed count, for a while',
    'dry-run': 'decide, and write nothing, for a while',
    unsuspend: 'end one of these before it expires',
    approve: 'let what waits come into force',
    reject: 'refuse what waits',
    sync: 'look at a source now',
    rollback: 'back to an earlier commit, and stay there',
    release: 'take a policy out of force, or all of them',
    resume: 'take a rollback or a release back',
  },
  'Policies in Git:': {
    validate: 'every error at once, at its line',
    diff: 'what a change means for each policy',
    test: 'run the PolicyTests of a repository',
    convert: 'rewrite HPAs and others as policies',
    import: "write a cluster's autoscalers as policies",
  },
  'Decisions:': {
    decide: 'decide recorded inputs, without a cluster',
    replay: 'decide again, and compare byte for byte',
    explain: 'print a decision rule by rule',
  },
  'Reports and audit:': {
    report: 'scaling, changes and costs of a period',
    audit: 'export the ledger, and verify an export',
  },
  'Access:': {
    login: 'sign in to a controller, and keep it as a context',
    token: 'make, list and revoke API tokens',
  },
  'Server:': {
    rbac: 'print the Roles that the controller needs',
    reshard: 'spread the policies over other shards',
    migrate: "see and change the database's schema",
    backup: 'write the database into a file',
    restore: 'read a backup into an empty database',
  },
  'This command line:': {
    completion: 'have a shell complete what is typed',
    help: 'print the help of a command',
  },
} as const;

/** Groups the commands in the program's own help; what the help of each of them says stays as it is. */
export function groupHelp(program: Command): void {
  const plain = new Help();
  const lines = new Map<string, string>();
  for (const [heading, commands] of Object.entries(groups)) {
    for (const [name, line] of Object.entries(commands)) {
      lines.set(name, line);
      plain
        .visibleCommands(program)
        .find((command) => command.name() === name)
        ?.helpGroup(heading);
    }
  }
  const order = [...lines.keys()];
  program.configureHelp({
    visibleCommands: (command) =>
      plain
        .visibleCommands(command)
        .toSorted((one, other) => order.indexOf(one.name()) - order.indexOf(other.name())),
    // By itself it is in the order in which commands are registered.
    groupItems: (_all, visible, groupOf) => Map.groupBy(visible, groupOf),
    // That there are options is said above the groups.
    subcommandTerm: (command) => plain.subcommandTerm(command).replace(' [options]', ''),
    subcommandDescription: (command) => lines.get(command.name()) ?? plain.subcommandDescription(command),
  });
}
