import { Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { loggerToken } from '../configuration/configuration.module.ts';
import { factoryProvider } from '../provider.ts';
import { ProblemFilter } from './problem.filter.ts';

/** How what is refused, and what fails, is answered over HTTP. */
@Module({
  providers: [
    factoryProvider(ProblemFilter, { logger: loggerToken }, ({ logger }) => new ProblemFilter(logger)),
    { provide: APP_FILTER, useExisting: ProblemFilter },
  ],
})
export class RefusalsModule {}
