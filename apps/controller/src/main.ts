import { setFlagsFromString } from 'node:v8';
import type { Logger } from 'pino';
import { type Configuration, configurationErrorText, listServiceLinks } from '#configuration';
import { AdapterError, codeOf, fileFault, messageOf } from '#kernel';
import type { ControllerOptions } from './app.module.ts';
import { AdministratorToken } from './auth/identities/administrator-token.ts';
import { parseStartRequest } from './configuration/command-line.ts';
import type { ConfigurationChanges } from './configuration/configuration.module.ts';
import { ConfigurationLoader } from './configuration/configuration-loader.ts';
import { createLog } from './logging/create-log.ts';
import { ReloadRequests } from './reload/reload-requests.ts';
import { runController } from './start-controller.ts';
import { endProcess } from './start-up/end-process.ts';
import { settingOfPath } from './start-up/setting-of-path.ts';
import { stopSignal } from './start-up/stop-signal.ts';

import 'reflect-metadata';

/** Runs the controller, or the demo, until a signal; sets the process's exit code. */
export async function main(args: readonly string[]): Promise<void> {
  // A reader that goes away (`--help | head`) is no error, and a controller goes on without a reader of its log.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', ignoreBrokenPipe);
  const request = parseStartRequest(args, process.env);
  switch (request.kind) {
    case 'exit':
      process.exitCode = request.code;
      return;
    case 'demo': {
      // With a cluster of its own, which no other start loads.
      const { runDemo } = await import('./demo/run-demo.ts');
      return runDemo();
    }
    case 'run':
      return run(request.configFile);
  }
}

function ignoreBrokenPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}

/**
 * How much the heap may grow, in percent, before it is collected: while a fleet is read for the first time, when next to
 * nothing of it is garbage, and afterwards. V8's own answer is up to 300, and keeps in memory what nothing holds any more:
 * each pass replaces what is kept of its policy.
 */
const heapGrowingPercent = { atFirst: 60, later: 18 };

/** That of ten thousand policies is read by then. */
const firstMilliseconds = 60_000;

/**
 * V8 may come to allocate what some line of code makes directly in the old generation, by what it saw survive at the start.
 * What is dead there keeps the whole of the request or pass that it refers to, until the next full collection.
 */
const pretenuring = '--no-allocation-site-pretenuring';

async function run(configFile: string | undefined): Promise<void> {
  letHeapGrow(heapGrowingPercent.atFirst);
  setTimeout(() => letHeapGrow(heapGrowingPercent.later), firstMilliseconds).unref();
  setFlagsFromString(pretenuring);
  const file = configFile === undefined ? {} : { file: configFile };
  const { load } = new ConfigurationLoader({ environment: process.env, ...file });
  const configuration = await load();
  if (!configuration.ok) {
    for (const error of configuration.error)
      process.stderr.write(`plimsoll: ${configurationErrorText(error)}\n`);
    process.exitCode = 2;
    return;
  }
  await runConfigured(configuration.value, { ...file, load });
}

function letHeapGrow(percent: number): void {
  setFlagsFromString(`--heap-growing-percent=${percent}`);
}

async function runConfigured(
  configuration: Configuration,
  place: Omit<ConfigurationChanges, 'onRequest'>,
): Promise<void> {
  const { logger, output } = createLog(configuration.log, configuration.cluster.name);
  const requests = new ReloadRequests();
  const onHangUp = (): void => {
    logger.info({ signal: 'SIGHUP' }, 'looking at the configuration');
    requests.request();
  };
  const stopping = stopSignal(logger, { onHangUp });
  noteServiceLinks(logger);
  try {
    const changes = { ...place, onRequest: requests.onRequest };
    const log = { logger, logOutput: output };
    await runController({ configuration, ...tokensOf(configuration), ...log, changes }, stopping);
    logger.info('ended');
  } catch (error) {
    if (stopping.aborted) {
      logger.info('ended');
      return;
    }
    logger.fatal(causeOf(error, configuration), 'the controller could not start');
    process.exitCode = 1;
  } finally {
    endProcess();
  }
}

/** What another program or the file system refuses is not to be found in this code: there, a stack tells nothing. */
function causeOf(error: unknown, configuration: Configuration): object {
  if (error instanceof AdapterError) return { code: error.code, reason: error.message };
  const reason = fileFault(error);
  if (reason === messageOf(error)) return { err: error };
  const path = pathOf(error);
  const setting = path === undefined ? undefined : settingOfPath(configuration, path);
  return { code: codeOf(error), reason, setting };
}

function pathOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('path' in error)) return undefined;
  return typeof error.path === 'string' ? error.path : undefined;
}

function noteServiceLinks(logger: Logger): void {
  const variables = listServiceLinks(process.env);
  if (variables.length === 0) return;
  logger.info(
    { variables, hint: 'enableServiceLinks: false leaves them out' },
    'variables of a Service of Kubernetes are no settings, and are passed over',
  );
}

function tokensOf({ auth }: Configuration): Pick<ControllerOptions, 'tokens' | 'administratorToken'> {
  if (auth.tokens.length > 0) return { tokens: auth.tokens };
  const administratorToken = new AdministratorToken({
    isTerminal: process.stdout.isTTY,
    file: auth.tokenFile,
    pid: process.pid,
    print: (line) => process.stdout.write(`${line}\n`),
  });
  return { tokens: [administratorToken.record], administratorToken };
}

if (import.meta.main) await main(process.argv.slice(2));
