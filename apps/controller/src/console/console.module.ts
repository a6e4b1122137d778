import { Module } from '@nestjs/common';
import { factoryProvider } from '../provider.ts';
import { BuiltConsole, builtConsoleFolder } from './built-console.ts';
import { ConsoleController } from './console.controller.ts';
import { GraphiqlController } from './graphiql.controller.ts';
import { MissingPages } from './missing-pages.ts';

/** The files of the web console and of GraphiQL. */
@Module({
  providers: [
    factoryProvider(BuiltConsole, {}, () => new BuiltConsole(builtConsoleFolder)),
    factoryProvider(MissingPages, { console: BuiltConsole }, ({ console }) => new MissingPages(console)),
  ],
  controllers: [ConsoleController, GraphiqlController],
})
export class ConsoleModule {}
