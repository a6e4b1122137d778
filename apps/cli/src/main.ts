import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { fileFault } from '#kernel';
import { argumentRefusal } from './argument-refusal.ts';
import { registerAuditCommand } from './commands/audit.command.ts';
import { registerCompletionCommand } from './commands/completion.command.ts';
import { registerConvertCommand } from './commands/convert.command.ts';
import { registerDatabaseCommands } from './commands/database.command.ts';
import { registerDecideCommand } from './commands/decide.command.ts';
import { registerDiffCommand } from './commands/diff.command.ts';
import { registerExplainCommand } from './commands/explain.command.ts';
import { registerImportCommand } from './commands/import.command.ts';
import { registerRbacCommand } from './commands/rbac.command.ts';
import { registerReplayCommand } from './commands/replay.command.ts';
import { registerReportCommand } from './commands/report.command.ts';
import { registerServerActions } from './commands/server-actions.command.ts';
import { registerServerLists } from './commands/server-lists.command.ts';
import { registerServerReads } from './commands/server-reads.command.ts';
import { registerTestCommand } from './commands/test.command.ts';
import { registerTokenCommand } from './commands/token.command.ts';
import { registerValidateCommand } from './commands/validate.command.ts';
import { groupHelp } from './help-groups.ts';

const commands: readonly ((program: Command) => void)[] = [
  registerValidateCommand,
  registerDiffCommand,
  registerTestCommand,
  registerConvertCommand,
  registerImportCommand,
  registerDecideCommand,
  registerReplayCommand,
  registerExplainCommand,
  registerAuditCommand,
  registerReportCommand,
  registerDatabaseCommands,
  registerRbacCommand,
  registerServerReads,
  registerServerLists,
  registerServerActions,
  registerTokenCommand,
  registerCompletionCommand,
];

const exitCodes = `
Exit status:
  0  done, nothing wrong
  1  done, and something is wrong with what was read (the command's help says
     what)
  2  could not run: unusable arguments, or a file that cannot be read
  3  done, but not proven (the command's help says what)

plimsoll COMMAND --help has the options of a command.`;

/** The root command; a command's implementation is loaded only when it is called, so that the CLI starts at once. */
export function createProgram(): Command {
  const program = new Command('plimsoll')
    .description('Autoscaling policies in Git, carried out and accounted for.')
    .version(ownVersion(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .addHelpText('after', exitCodes)
    .configureOutput({ outputError: (text, write) => write(argumentRefusal(text)) });
  // Before the commands are registered: each takes these settings over when it is made.
  program.exitOverride((error) => {
    process.exit(error.exitCode === 0 ? 0 : 2);
  });
  for (const register of commands) register(program);
  groupHelp(program);
  // In the words of the whole program's help.
  for (const group of program.commands.filter((command) => command.commands.length > 0))
    group.helpCommand('help [command]', 'Print the help of a command.');
  takeChoicesInAnyCase(program);
  showOwnHelpAfterError(program, program.name());
  return program;
}

/** A refusal names the help that lists what could be given instead. */
function showOwnHelpAfterError(command: Command, path: string): void {
  const has = command.commands.length > 0 ? 'the commands and options' : 'the arguments and options';
  command.showHelpAfterError(`(${path} --help lists ${has})`);
  for (const each of command.commands) showOwnHelpAfterError(each, `${path} ${each.name()}`);
}

/** `--direction down` is `Down`: how a choice is written tells no two of them apart. */
function takeChoicesInAnyCase(command: Command): void {
  for (const taken of [...command.options, ...command.registeredArguments]) {
    const { argChoices: choices, parseArg } = taken;
    if (choices === undefined || parseArg === undefined) continue;
    taken.argParser((value: string, previous: unknown) => {
      const written = choices.find((choice) => choice.toLowerCase() === value.toLowerCase());
      return parseArg(written ?? value, previous);
    });
  }
  for (const each of command.commands) takeChoicesInAnyCase(each);
}

/** Runs the command line; usage errors end with status 2. */
export async function main(argv: readonly string[]): Promise<void> {
  // A reader that goes away (`| head`) ends a command quietly, whatever it still had to say.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(process.exitCode ?? 0);
    // An exit status of 1 would say something of what was asked.
    process.stderr.write(`plimsoll: the output cannot be written: ${fileFault(error)}\n`);
    process.exit(2);
  });
  // Where its messages find no reader, or no room, it still writes what was asked for, and ends as that came out.
  process.stderr.on('error', () => undefined);
  const program = createProgram();
  helpAsAsked(program, argv);
  await program.parseAsync([...argv]);
}

/**
 * `plimsoll audit help nope` and `plimsoll audit nope --help` say that there is no such command, and `plimsoll help audit
 * export` is the help of that: by itself the library prints the help of the group.
 */
function helpAsAsked(program: Command, [, , ...words]: readonly string[]): void {
  const asked = words.findIndex((word) => word === '--help' || word === '-h');
  if (asked >= 0) helpedCommand(program, words.slice(0, asked));
  const at = words.indexOf('help');
  const group = at < 0 ? undefined : commandAt(program, words.slice(0, at));
  // Elsewhere the word is an operand.
  if (group === undefined || group.commands.length === 0) return;
  const path = words.slice(at + 1);
  const command = helpedCommand(group, path);
  if (path.length > 1 && command !== group) command.help();
}

/** The command that words name after `help`, up to the first that names none. */
function helpedCommand(group: Command, [name, ...rest]: readonly string[]): Command {
  // What comes after a command without commands of its own is an operand.
  if (name === undefined || name === 'help' || name.startsWith('-') || group.commands.length === 0)
    return group;
  const found = commandAt(group, [name]);
  return found === undefined ? group.error(`error: unknown command '${name}'`) : helpedCommand(found, rest);
}

/** Undefined: there is none of that path. */
function commandAt(group: Command, path: readonly string[]): Command | undefined {
  return path.reduce<Command | undefined>(
    (command, name) => command?.commands.find((each) => each.name() === name),
    group,
  );
}

function ownVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(manifestFile(), 'utf8'));
  if (typeof manifest === 'object' && manifest !== null && 'version' in manifest)
    return String(manifest.version);
  return 'unknown';
}

/** package.json is one folder further up from dist/ than from the sources. */
function manifestFile(): URL {
  const isBuilt = import.meta.url.endsWith('.js');
  return new URL(isBuilt ? '../../../../package.json' : '../../../package.json', import.meta.url);
}
