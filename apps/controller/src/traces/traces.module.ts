import { Module } from '@nestjs/common';
import { configurationToken, loggerToken } from '../configuration/configuration.module.ts';
import { factoryProvider } from '../provider.ts';
import { DeferredTraces } from './deferred-traces.ts';

const providers = [
  factoryProvider(
    DeferredTraces,
    { configuration: configurationToken, logger: loggerToken },
    ({ configuration, logger }) => new DeferredTraces(configuration, logger),
  ),
];

/** Traces of passes and syncs. */
@Module({ providers, exports: providers })
export class TracesModule {}
