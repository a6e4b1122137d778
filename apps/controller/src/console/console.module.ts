import { Module } from '@nestjs/common';
import { factoryProvider } from '../provider.ts';
import { BuiltConsole, builtConsoleFolder } from './built-console.ts';
import { ConsoleController } from './console.controller.ts';

/** The web console's files. */
@Module({
  providers: [factoryProvider(BuiltConsole, {}, () => new BuiltConsole(builtConsoleFolder))],
  controllers: [ConsoleController],
})
export class ConsoleModule {}
