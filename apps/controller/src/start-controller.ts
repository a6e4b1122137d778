import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Configuration } from '#configuration';
import { afterLoss, type LossStreak } from '#coordination';
import { AppModule, type ControllerOptions } from './app.module.ts';
import { configureApplication, createHttpAdapter } from './configure-application.ts';
import { leaseRightsToken } from './coordination/coordination.module.ts';
import { termsOf } from './coordination/election/create-elected-holdings.ts';
import type { ScopeLoss } from './coordination/holdings/scope-loss.ts';
import { type LeaseRights, LeaseRightsChanged } from './coordination/leases/lease-rights.ts';
import { systemElectionClock } from './coordination/leases/system-election-clock.ts';
import { policySyncToken } from './git-sync/git-sync.module.ts';
import type { PolicySync } from './git-sync/policy-sync.ts';
import { HttpListener } from './http/http-listener.ts';
import { loadTlsCertificate } from './http/tls-files.ts';
import { NestLogger } from './logging/nest-logger.ts';
import { MetricsServer } from './metrics/metrics-server.ts';
import { ConfigurationReload } from './reload/configuration-reload.ts';
import { FenceLoss } from './start-up/fence-loss.ts';
import { runOneAfterAnother } from './start-up/run-one-after-another.ts';
import { StartUp } from './start-up/start-up.ts';
import { whenAborted } from './start-up/stop-signal.ts';

/** A running controller. */
export interface RunningController {
  /** Of the admin API. */
  readonly url: string;
  readonly metricsUrl: string;
  /** Looks at every source now. */
  readonly syncNow: () => Promise<void>;
  /** Resolves when what it held is lost, as where another process has taken over: it is to be stopped and started again. */
  readonly whenFenced: Promise<ScopeLoss>;
  /** Resolves when a process that works without Leases may use them: then it is to be stopped and started again. */
  readonly whenLeasesAllowed: Promise<unknown>;
  /** The one in force, which may have changed since the start. */
  readonly configuration: () => Configuration;
  /** Ends writes under way, seals what is open, and closes everything. */
  readonly stop: () => Promise<void>;
}

/**
 * Starts the application, up to its first passes. Where a step of the start fails, or the signal ends it, everything
 * that was opened is closed again. Where the Leases may not be used, it is started as one process.
 *
 * @throws AdapterError or Error naming what could not be opened.
 */
export async function startController(
  options: ControllerOptions,
  signal?: AbortSignal,
): Promise<RunningController> {
  try {
    return await startApplication(options, signal);
  } catch (error) {
    if (!(error instanceof LeaseRightsChanged) || signal?.aborted === true) throw error;
    return await startController({ ...options, leasesForbidden: error.forbidden }, signal);
  }
}

async function startApplication(
  options: ControllerOptions,
  signal: AbortSignal | undefined,
): Promise<RunningController> {
  const { trustedProxies, tls } = options.configuration.listen;
  const certificate = tls === undefined ? undefined : await loadTlsCertificate(tls);
  const application = await NestFactory.create<NestFastifyApplication>(
    AppModule.forRoot(options),
    createHttpAdapter(trustedProxies, certificate),
    { logger: new NestLogger(options.logger), abortOnError: false, bodyParser: false },
  );
  configureApplication(application);
  application.get(HttpListener).noteShown(certificate);
  const stop = (): Promise<void> => {
    application.get(StartUp).end();
    return application.close();
  };
  const onAbort = (): void => void stop();
  signal?.addEventListener('abort', onAbort, { once: true });
  const rights = application.get<LeaseRights | null>(leaseRightsToken);
  let isStarting = true;
  void rights?.whenAllowed.then(() => {
    if (isStarting) application.get(StartUp).end();
  });
  try {
    await application.init();
  } catch (error) {
    await stop();
    throw rights?.isAllowed === true ? new LeaseRightsChanged(null) : error;
  } finally {
    isStarting = false;
    signal?.removeEventListener('abort', onAbort);
  }
  const sync = application.get<PolicySync>(policySyncToken);
  return {
    url: application.get(HttpListener).url,
    metricsUrl: application.get(MetricsServer).url,
    syncNow: () => sync.syncNow(),
    configuration: () => application.get(ConfigurationReload).current,
    whenFenced: application.get(FenceLoss).whenLost,
    whenLeasesAllowed: rights?.whenAllowed ?? new Promise(() => undefined),
    stop,
  };
}

/**
 * Runs the application until the signal ends it. A process that was fenced stops, and starts again as one that waits:
 * everything is read anew, since the other process has gone on from what this one knew. So does one that may use Leases
 * again.
 *
 * @throws AdapterError or Error naming what could not be opened.
 */
export function runController(options: ControllerOptions, signal: AbortSignal): Promise<void> {
  return runOneAfterAnother(options, {
    start: (given) => startController(given, signal),
    end: (controller, given) => whenEnded(controller, given, signal),
  });
}

/** @returns what to start anew with; null: the signal has ended it */
async function whenEnded(
  controller: RunningController,
  options: ControllerOptions,
  signal: AbortSignal,
): Promise<ControllerOptions | null> {
  const loss = await Promise.race([
    whenAborted(signal).then(() => null),
    controller.whenLeasesAllowed.then(() => null),
    controller.whenFenced,
  ]);
  const wasFenced = loss !== null;
  const configuration = controller.configuration();
  const losses = lossesAfter(loss, options.losses ?? null, configuration);
  await controller.stop();
  if (signal.aborted) return null;
  options.logger.info({ wasFenced }, 'what was carried out has ended; the application starts anew');
  const { tokens } = configuration.auth;
  const known = tokens.length > 0 ? tokens : options.tokens;
  return { ...options, configuration, tokens: known, wasFenced, losses, leasesForbidden: null };
}

/** One that has to start anew to lead again has lost nothing. */
function lossesAfter(
  loss: ScopeLoss | null,
  before: LossStreak | null,
  { coordination }: Pick<Configuration, 'coordination'>,
): LossStreak | null {
  if (loss === null || loss === 'Ended' || coordination === undefined) return before;
  const now = systemElectionClock.elapsed();
  return afterLoss(before, { now, terms: termsOf(coordination), random: systemElectionClock.random() });
}
