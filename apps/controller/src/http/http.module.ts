import { Module } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { clockToken, configurationToken, loggerToken } from '../configuration/configuration.module.ts';
import { factoryProvider } from '../provider.ts';
import { ConnectionRoom } from './connection-room.ts';
import { HttpListener } from './http-listener.ts';

const providers = [
  factoryProvider(
    HttpListener,
    { host: HttpAdapterHost, configuration: configurationToken, logger: loggerToken, clock: clockToken },
    ({ host, configuration, ...tools }) => new HttpListener(host, configuration.listen, tools),
  ),
  factoryProvider(
    ConnectionRoom,
    { configuration: configurationToken, logger: loggerToken },
    ({ configuration, logger }) => new ConnectionRoom({ maximum: configuration.listen.connections, logger }),
  ),
];

/** The API's socket. */
@Module({ providers, exports: providers })
export class HttpModule {}
