import type { Configuration } from '#configuration';

type SecretConfiguration = Pick<Configuration, 'auth' | 'coordination'>;

/** What sessions of browsers are sealed with; undefined: something that this process alone knows. */
export function sessionSecretFileOf({ auth }: SecretConfiguration): string | undefined {
  return auth.sessionSecretFile ?? auth.oidc?.sessionSecretFile;
}

/** Whether a session that one replica opened is valid at the others, where there are others. */
export function areSessionsShared(configuration: SecretConfiguration): boolean {
  return configuration.coordination === undefined || sessionSecretFileOf(configuration) !== undefined;
}
