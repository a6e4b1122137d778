import { Command, CommanderError } from 'commander';
import { listSettings } from '#configuration';

/** What `npm start` was asked to do. */
export type StartRequest =
  | { readonly kind: 'demo' }
  | { readonly kind: 'run'; readonly configFile: string | undefined }
  | { readonly kind: 'exit'; readonly code: number };

const examples = `
Examples:
  npm start                                   the demo: a simulated cluster, a real Git repository, real decisions
  npm start -- --config plimsoll.yaml         a real cluster and your repositories
  npm start -- --config plimsoll.yaml --help  this text
  npx plimsoll-controller --help              the same, without what npm prints before it
  kill -TERM or Ctrl-C                        ends cleanly: writes under way are finished and recorded
  kill -HUP                                   reads the configuration anew, as a change of its file does`;

/**
 * Reads the arguments of the controller. Without `--config` and without any `PLIMSOLL_*` setting it is the demo.
 * Usage errors are printed and end with status 2.
 */
export function parseStartRequest(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): StartRequest {
  const command = createCommand();
  try {
    command.parse([...args], { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) return { kind: 'exit', code: error.exitCode === 0 ? 0 : 2 };
    throw error;
  }
  const { config } = command.opts<{ config?: string }>();
  const configFile = config ?? environment['PLIMSOLL_CONFIG'];
  const isConfigured = configFile !== undefined || environment['PLIMSOLL_CLUSTER_NAME'] !== undefined;
  return isConfigured ? { kind: 'run', configFile } : { kind: 'demo' };
}

function createCommand(): Command {
  return new Command('npm start --')
    .usage('[--config FILE]')
    .description('The Plimsoll controller. Without a configuration it runs the demo.')
    .option(
      '-c, --config <file>',
      'YAML configuration: sources, cluster, mode, database, listen address, intervals',
    )
    .helpOption('-h, --help', 'print this help')
    .addHelpText('after', () => `\n${settingsHelp()}${examples}`)
    .allowExcessArguments(false)
    .exitOverride();
}

function settingsHelp(): string {
  const settings = listSettings();
  const width = Math.max(...settings.map(({ path }) => path.join('.').length));
  const lines = settings.map(
    ({ path, variable, shape }) => `  ${path.join('.').padEnd(width)}  ${variable} (${shape})`,
  );
  return `Settings of the file, and the environment variables that set them (values are YAML):\n${lines.join('\n')}\n`;
}
