import { type DynamicModule, Module } from '@nestjs/common';
import type { Logger } from 'pino';
import type { Configuration, ConfigurationErrors } from '#configuration';
import type { LossStreak } from '#coordination';
import type { Result } from '#kernel';
import type { ClockPort } from '#reconciliation';
import type { LogOutput } from '../logging/log-output.ts';
import { LoopActivities } from '../logging/loop-activities.ts';
import { portToken } from '../provider.ts';
import { InterventionLimit } from './intervention-limit.ts';
import { ModeInForce } from './mode-in-force.ts';
import { systemClock } from './system-clock.ts';

export const configurationToken = portToken<Configuration>('Configuration');
export const loggerToken = portToken<Logger>('Logger');
/** Null: whoever starts the controller writes its log. */
export const logOutputToken = portToken<Pick<LogOutput, 'droppedLines'> | null>('LogOutput');
export const wasFencedToken = portToken<boolean>('WasFenced');
/** What this process has lost lately of what it held; null: nothing. */
export const lossesToken = portToken<LossStreak | null>('Losses');
/** What this process may not do with Leases; null: nothing has shown that it may not use them. */
export const leasesForbiddenToken = portToken<string | null>('LeasesForbidden');
export const configurationChangesToken = portToken<ConfigurationChanges | null>('ConfigurationChanges');
export const clockToken = portToken<ClockPort>('Clock');

/** What one process is started with. */
export interface ProcessOptions {
  readonly configuration: Configuration;
  readonly logger: Logger;
  /** Where the log goes; absent: whoever starts the controller writes it. */
  readonly logOutput?: Pick<LogOutput, 'droppedLines'>;
  /** Whether the process has carried policies out before, and was fenced. */
  readonly wasFenced?: boolean;
  /** What it has lost since it began, as a replica; absent: nothing. */
  readonly losses?: LossStreak | null;
  /** What the process may not do with Leases, so that it works without; absent: it has not tried. */
  readonly leasesForbidden?: string | null;
  /** Where the configuration is read anew; absent: it stays as it is. */
  readonly changes?: ConfigurationChanges;
}

/** A configuration that may change while the controller runs. */
export interface ConfigurationChanges {
  /** The file; absent: environment variables alone. */
  readonly file?: string;
  readonly load: () => Promise<Result<Configuration, ConfigurationErrors>>;
  /** Calls the listener when a look is asked for, at once where it was before; returns what ends it. */
  readonly onRequest: (listener: () => void) => () => void;
}

/** What every feature module reads: the valid configuration, the log and the clock. */
@Module({})
export class ConfigurationModule {
  static forRoot({
    configuration,
    logger,
    logOutput,
    wasFenced = false,
    losses = null,
    leasesForbidden = null,
    changes,
  }: ProcessOptions): DynamicModule {
    const activities = new LoopActivities();
    const providers = [
      { provide: LoopActivities, useValue: activities },
      { provide: configurationToken, useValue: configuration },
      { provide: ModeInForce, useValue: new ModeInForce(configuration.mode) },
      { provide: InterventionLimit, useValue: new InterventionLimit(configuration.interventions) },
      { provide: loggerToken, useValue: logger },
      { provide: logOutputToken, useValue: logOutput ?? null },
      { provide: clockToken, useValue: systemClock(activities.note) },
      { provide: wasFencedToken, useValue: wasFenced },
      { provide: lossesToken, useValue: losses },
      { provide: leasesForbiddenToken, useValue: leasesForbidden },
      { provide: configurationChangesToken, useValue: changes ?? null },
    ];
    return { module: ConfigurationModule, global: true, providers, exports: providers };
  }
}
