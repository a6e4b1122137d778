import { Module } from '@nestjs/common';
import { readTextFile } from '#files';
import { fileFault } from '#kernel';
import { ClusterModule, clusterToken } from '../cluster/cluster.module.ts';
import { clockToken, configurationToken, loggerToken } from '../configuration/configuration.module.ts';
import { leadershipToken } from '../coordination/shards/leadership.ts';
import { ShardRequests } from '../coordination/shards/shard-requests.ts';
import { activePoliciesToken, GitSyncModule } from '../git-sync/git-sync.module.ts';
import { administrationWriterToken, LedgerModule, tokenStoreToken } from '../ledger/ledger.module.ts';
import { factoryProvider, portToken } from '../provider.ts';
import { CallerAuthenticator } from './gate/caller-authenticator.ts';
import { RequestGate } from './gate/request-gate.ts';
import { apiTokensToken } from './identities/given-tokens.module.ts';
import { KubernetesAuthenticator } from './identities/kubernetes-authenticator.ts';
import { OidcProvider, type OidcSettings } from './identities/oidc-provider.ts';
import { areSessionsShared, sessionSecretFileOf } from './identities/session-secret.ts';
import { SealedCookies } from './identities/sessions.ts';
import { TokenAuthenticator } from './identities/token-authenticator.ts';
import { TokenRegistry } from './identities/token-registry.ts';
import { AuthenticationFailures } from './limits/authentication-failures.ts';
import { FailureRecorder } from './limits/failure-recorder.ts';
import { RequestLimits } from './limits/request-limits.ts';
import { RequestRates } from './limits/request-rates.ts';
import { BrowserSignIn } from './sign-in/browser-sign-in.ts';
import { browserSignInToken, SignInController } from './sign-in/sign-in.controller.ts';
import { SignInOfferController } from './sign-in/sign-in-offer.controller.ts';
import { SignInRefusalLog } from './sign-in/sign-in-refusal-log.ts';
import { TokenSessions } from './sign-in/token-sessions.ts';

/** Null: none is configured. */
const oidcToken = portToken<OidcProvider | null>('OidcProvider');

const providers = [
  factoryProvider(
    TokenAuthenticator,
    { tokens: apiTokensToken, clock: clockToken },
    ({ tokens, clock }) => new TokenAuthenticator(tokens, () => clock.now()),
  ),
  factoryProvider(
    CallerAuthenticator,
    {
      tokens: TokenAuthenticator,
      registry: TokenRegistry,
      oidc: oidcToken,
      cluster: clusterToken,
      activePolicies: activePoliciesToken,
      configuration: configurationToken,
      logger: loggerToken,
    },
    ({ tokens, registry, oidc, cluster, activePolicies, configuration, logger }) => {
      const { enabled, audiences } = configuration.auth.kubernetes;
      const namespaces = (): readonly string[] => [
        ...configuration.namespaces.filter((name) => name !== '*'),
        ...activePolicies.listActivePolicies().map(({ policy }) => policy.namespace),
      ];
      const { reviews } = cluster.kubernetes;
      const onUnanswered = (reason: string): void =>
        logger.warn({ reason }, 'tokens of the cluster cannot be checked');
      const kubernetes = new KubernetesAuthenticator({ reviews, audiences, namespaces, onUnanswered });
      return new CallerAuthenticator({
        tokens,
        registry,
        oidc: oidc ?? undefined,
        kubernetes: enabled ? kubernetes : undefined,
      });
    },
  ),
  factoryProvider(
    SealedCookies,
    { configuration: configurationToken, logger: loggerToken },
    ({ configuration, logger }) => {
      if (!areSessionsShared(configuration)) {
        const text = 'a session of the console is valid at the replica that opened it alone';
        logger.warn({ setting: 'auth.sessionSecretFile' }, `${text}: auth.sessionSecretFile is not set`);
      }
      const cookies = new SealedCookies({
        loadSecret: () => sessionSecret(sessionSecretFileOf(configuration)),
        onUnreadable: (reason) => logger.warn({ reason }, 'the secret of sessions cannot be read'),
      });
      void cookies.readAhead();
      return cookies;
    },
  ),
  factoryProvider(
    TokenSessions,
    { authenticator: CallerAuthenticator, cookies: SealedCookies, configuration: configurationToken },
    ({ authenticator, cookies, configuration: { auth, listen } }) =>
      new TokenSessions({
        authenticator,
        cookies,
        hours: auth.oidc?.sessionHours ?? sessionHours,
        isEncrypted: listen.tls !== undefined,
      }),
  ),
  factoryProvider(
    browserSignInToken,
    {
      provider: oidcToken,
      cookies: SealedCookies,
      configuration: configurationToken,
      clock: clockToken,
      logger: loggerToken,
    },
    ({ provider, cookies, configuration, clock, logger }) => {
      const { redirectUrl, ...settings } = configuration.auth.oidc ?? {};
      if (provider === null || redirectUrl === undefined) return null;
      return new BrowserSignIn({
        provider,
        settings: { ...(settings as OidcSettings), redirectUrl },
        cookies,
        onRefused: new SignInRefusalLog({
          log: (fields, message) => logger.info(fields, message),
          now: () => clock.monotonicMilliseconds(),
        }).report,
      });
    },
  ),
  factoryProvider(
    FailureRecorder,
    {
      writer: administrationWriterToken,
      clock: clockToken,
      leadership: leadershipToken,
      requests: ShardRequests,
      logger: loggerToken,
    },
    ({ logger, ...parts }) =>
      new FailureRecorder({ ...parts, log: (fields, message) => logger.info(fields, message) }),
  ),
  factoryProvider(
    RequestLimits,
    { failures: AuthenticationFailures, recorder: FailureRecorder },
    ({ failures, recorder }) =>
      new RequestLimits({
        onFailure: (treatment, address) => {
          failures.count(treatment);
          recorder.note(address);
        },
      }),
  ),
  factoryProvider(oidcToken, { configuration: configurationToken }, ({ configuration }) =>
    configuration.auth.oidc === undefined ? null : new OidcProvider(configuration.auth.oidc),
  ),
  factoryProvider(
    TokenRegistry,
    { store: tokenStoreToken, authenticator: TokenAuthenticator, clock: clockToken, logger: loggerToken },
    (options) => new TokenRegistry(options),
  ),
  AuthenticationFailures,
  factoryProvider(
    RequestRates,
    { configuration: configurationToken },
    ({ configuration }) => new RequestRates({ rates: configuration.listen.requestsPerSecond }),
  ),
  factoryProvider(
    RequestGate,
    {
      authenticator: CallerAuthenticator,
      configuration: configurationToken,
      signIn: browserSignInToken,
      tokenSessions: TokenSessions,
      limits: RequestLimits,
      rates: RequestRates,
      registry: TokenRegistry,
    },
    ({ authenticator, signIn, tokenSessions, configuration, limits, rates, registry }) =>
      new RequestGate({
        authenticator,
        hosts: configuration.listen.hosts,
        sessions: signIn === null ? [tokenSessions] : [signIn, tokenSessions],
        limits,
        rates,
        onUse: (principal) => registry.noteUse(principal),
      }),
  ),
];

/** Who calls. */
@Module({
  imports: [ClusterModule, GitSyncModule, LedgerModule],
  controllers: [SignInController, SignInOfferController],
  providers,
  exports: providers,
})
export class AuthModule {}

/** @throws Error naming the file, where it cannot be read or is too short to keep a secret. */
async function sessionSecret(file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined;
  const secret = await readTextFile(file).catch((error: unknown) => {
    throw new Error(`sessionSecretFile ${file}: ${fileFault(error, file)}`, { cause: error });
  });
  const { length } = secret.trim();
  if (length >= minimumSecretCharacters) return secret.trim();
  throw new Error(`sessionSecretFile ${file}: ${length} characters, of ${minimumSecretCharacters} at least`);
}

const minimumSecretCharacters = 32;

/** A working day, where the configuration names no OpenID provider, and with it no other time. */
const sessionHours = 8;
