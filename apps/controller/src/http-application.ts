import { type DynamicModule, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Logger } from 'pino';
import type { Configuration } from '#configuration';
import type { AdminActions } from './admin/admin-actions.ts';
import type { AdminQueries } from './admin/admin-queries.ts';
import type { PullRequestLookup } from './admin/pull-request-lookup.ts';
import { AdminGraphqlModule } from './admin-graphql/admin-graphql.module.ts';
import { installRequestGate } from './auth/request-gate.ts';
import { TokenAuthenticator, type TokenRecord } from './auth/token-authenticator.ts';
import { HealthController, readinessChecks } from './health/health.controller.ts';
import type { ReadinessCheck } from './health/readiness.ts';
import { NestLogger } from './logging/nest-logger.ts';
import { installWebhooks, webhookRoute } from './webhooks/install-webhooks.ts';
import type { WebhookReceiver } from './webhooks/webhook-receiver.ts';

/** What the HTTP side is made of. */
export interface HttpApplicationOptions {
  readonly listen: Configuration['listen'];
  readonly tokens: readonly TokenRecord[];
  readonly queries: AdminQueries;
  readonly actions: AdminActions;
  readonly pullRequests: PullRequestLookup;
  /** Undefined: no source takes webhooks. */
  readonly webhooks: WebhookReceiver | undefined;
  readonly readinessChecks: readonly ReadinessCheck[];
  readonly logger: Logger;
}

/** A listening API. */
export interface HttpApplication {
  /** `http://127.0.0.1:8080` */
  readonly url: string;
  readonly stop: () => Promise<void>;
}

/** A GraphQL query is text; beyond this it is something else. */
const maximumBodyBytes = 256 * 1024;

/** A request that has not arrived whole by then is cut off. */
const requestTimeoutMilliseconds = 30_000;

/** Paths that answer without a token. */
const openPaths = ['/healthz', '/readyz'];

@Module({})
class HttpModule {
  static register(options: HttpApplicationOptions): DynamicModule {
    return {
      module: HttpModule,
      imports: [AdminGraphqlModule.register(options)],
      controllers: [HealthController],
      providers: [{ provide: readinessChecks, useValue: options.readinessChecks }],
    };
  }
}

/** Starts the API: GraphQL, health, webhooks. Everything but health wants a token, and webhooks a signature. */
export async function startHttpApplication(options: HttpApplicationOptions): Promise<HttpApplication> {
  const adapter = new FastifyAdapter({
    bodyLimit: maximumBodyBytes,
    requestTimeout: requestTimeoutMilliseconds,
    forceCloseConnections: true,
  });
  installRequestGate(adapter.getInstance(), {
    authenticator: new TokenAuthenticator(options.tokens),
    hosts: options.listen.hosts,
    openPaths,
    openRoutes: [webhookRoute],
  });
  if (options.webhooks !== undefined) installWebhooks(adapter.getInstance(), options.webhooks);
  const application = await NestFactory.create<NestFastifyApplication>(
    HttpModule.register(options),
    adapter,
    {
      logger: new NestLogger(options.logger),
      abortOnError: false,
    },
  );
  await application.listen(options.listen.port, options.listen.address);
  return { url: await application.getUrl(), stop: () => application.close() };
}
