import { rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { readTextFile } from '#files';
import type { GitCredentials } from '#git-sync';
import { AdapterError, fileFault } from '#kernel';
import { loadProxy, type NetworkFiles } from '../network/network-files.ts';
import { maximumSecretBytes, maximumTrustBytes } from '../run/git-limits.ts';
import type { GitHubAppTokens } from './github-app-tokens.ts';
import type { GitProtocol } from './protocol-of.ts';

/** What a fetch needs in its environment: names of files, never a secret. */
export type CredentialEnvironment = Readonly<Record<string, string>>;

/** Answers git's two questions from a file: the token is in no argument and in no environment. */
const askPassScript = `#!/bin/sh
case "$1" in
  Username*) printf '%s\\n' "$PLIMSOLL_GIT_USERNAME" ;;
  *) head -n 1 -- "$PLIMSOLL_GIT_PASSWORD_FILE" ;;
esac
`;

/** Files of ours that live as long as one fetch. */
const askPassFile = 'askpass.sh';
const appTokenFile = 'app-token';
const proxyConfigurationFile = 'proxy.gitconfig';

/** The user that forges expect beside a token. */
const tokenUser = 'x-access-token';

/** Where a fetch's credentials come from, and where its helper files go. */
export interface CredentialContext {
  readonly protocol: GitProtocol;
  readonly credentials: GitCredentials;
  /** A folder of ours, mode 0700. */
  readonly folder: string;
  readonly appTokens: GitHubAppTokens;
}

/** Prepares the credentials of one fetch; read anew each time, so that a rotated file needs no restart. */
export async function credentialEnvironment(context: CredentialContext): Promise<CredentialEnvironment> {
  switch (context.protocol) {
    case 'ssh':
      return sshEnvironment(context.credentials);
    case 'https':
    case 'http':
      return httpEnvironment(context);
    case 'file':
      return {};
  }
}

/** Removes what a fetch, or one that was killed, left of its credentials. */
export async function removeCredentials(folder: string): Promise<void> {
  for (const file of [askPassFile, appTokenFile, proxyConfigurationFile])
    await rm(join(folder, file), { force: true });
}

/** OpenSSH without any other configuration: this key or none, these host keys or none, nothing asked. */
async function sshEnvironment(credentials: GitCredentials): Promise<CredentialEnvironment> {
  const options = [
    'BatchMode=yes',
    'StrictHostKeyChecking=yes',
    `UserKnownHostsFile=${await sshFile(credentials.knownHostsFile, 'knownHostsFile', '/dev/null')}`,
    'GlobalKnownHostsFile=/dev/null',
    'UpdateHostKeys=no',
    // `-i` would expand a percent sign of the path, and without a key ssh would try those of the user's home.
    `IdentityFile=${await sshFile(credentials.sshKeyFile, 'sshKeyFile', 'none')}`,
    'IdentitiesOnly=yes',
    'ForwardAgent=no',
    'PermitLocalCommand=no',
    'ConnectTimeout=20',
    'ServerAliveInterval=15',
    'ServerAliveCountMax=4',
  ];
  const words = ['ssh', '-F', '/dev/null', ...options.flatMap((option) => ['-o', option])];
  return { GIT_SSH_COMMAND: words.map(quoted).join(' '), GIT_SSH_VARIANT: 'ssh' };
}

/** The file as ssh's options want it; one that cannot be read is named, where ssh would only go on without it. */
async function sshFile(file: string | undefined, setting: string, otherwise: string): Promise<string> {
  if (file === undefined) return otherwise;
  await mustRead(file, `credentials.${setting}`, maximumTrustBytes);
  return sshPath(resolve(file));
}

async function httpEnvironment(context: CredentialContext): Promise<CredentialEnvironment> {
  const { credentials, folder } = context;
  const network = await networkEnvironment(context);
  const passwordFile = await passwordFileOf(context);
  if (passwordFile === undefined) return network;
  const script = join(folder, askPassFile);
  await writeFile(script, askPassScript, { mode: 0o700 });
  return {
    ...network,
    GIT_ASKPASS: script,
    PLIMSOLL_GIT_USERNAME: credentials.username ?? tokenUser,
    PLIMSOLL_GIT_PASSWORD_FILE: passwordFile,
  };
}

/** A proxy's password is in a file that only we can read, in the form of git's configuration. */
async function networkEnvironment({
  credentials,
  folder,
}: CredentialContext): Promise<CredentialEnvironment> {
  const { caFile, proxyFile } = credentials;
  if (caFile !== undefined) await mustRead(caFile, 'credentials.caFile', maximumTrustBytes);
  // Git runs in its repository's folder, where a relative path would name another file.
  const authorities = caFile === undefined ? {} : { GIT_SSL_CAINFO: resolve(caFile) };
  if (proxyFile === undefined) return authorities;
  const { href } = await loadProxy(proxyFile);
  const file = join(folder, proxyConfigurationFile);
  await writeFile(file, `[http]\n\tproxy = "${href}"\n`, { mode: 0o600 });
  return { ...authorities, GIT_CONFIG_GLOBAL: file };
}

async function passwordFileOf(context: CredentialContext): Promise<string | undefined> {
  const { credentials, folder, appTokens } = context;
  if (credentials.githubApp !== undefined) {
    const privateKey = await mustRead(
      credentials.githubApp.privateKeyFile,
      'credentials.githubApp.privateKeyFile',
    );
    const token = await appTokens.load(credentials.githubApp, privateKey, networkOf(credentials));
    const file = join(folder, appTokenFile);
    await writeFile(file, `${token}\n`, { mode: 0o600 });
    return file;
  }
  if (credentials.tokenFile === undefined) return undefined;
  await mustRead(credentials.tokenFile, 'credentials.tokenFile');
  return resolve(credentials.tokenFile);
}

function networkOf({ caFile, proxyFile }: GitCredentials): NetworkFiles {
  return { ...(caFile === undefined ? {} : { caFile }), ...(proxyFile === undefined ? {} : { proxyFile }) };
}

/**
 * The text of a file that a setting names: of a secret, if no other bound is given.
 *
 * @throws AdapterError `CredentialsUnreadable`, which names the file, never its content
 */
export async function mustRead(
  file: string,
  setting: string,
  maximumBytes = maximumSecretBytes,
): Promise<string> {
  try {
    return await readTextFile(file, maximumBytes);
  } catch (error) {
    throw new AdapterError({
      code: 'CredentialsUnreadable',
      message: `${setting}: ${JSON.stringify(file)} cannot be read (${fileFault(error, file)})`,
      retryable: true,
    });
  }
}

/** OpenSSH splits the option at blanks, and expands % and ~. */
function sshPath(path: string): string {
  return `"${path.replaceAll('%', '%%')}"`;
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
