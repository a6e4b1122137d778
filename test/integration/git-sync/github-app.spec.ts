import { generateKeyPairSync } from 'node:crypto';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { GitAdapter } from '#adapter-git';
import type { GitRepositoryPort } from '#git-sync';
import { AdapterError } from '#kernel';
import { shownSecrets, showsProcesses } from '../../support/shown-secrets.ts';
import { GitHubAppServer } from './support/github-app-server.ts';
import { HttpGitServer } from './support/http-git-server.ts';
import { temporaryFolder, TemporaryRepository } from './support/temporary-repository.ts';

const limits = { bytes: 64 * 1024 * 1024, milliseconds: 20_000 };
const minute = 60_000;

/** As GitHub hands an App's key out: PKCS #1. */
const encoding = {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
} as const;
const appKey = generateKeyPairSync('rsa', encoding);
const strangerKey = generateKeyPairSync('rsa', encoding);

describe('Git with a GitHub App', () => {
  let now: number;
  let origin: TemporaryRepository;
  let git: HttpGitServer;
  let api: GitHubAppServer;
  let folder: string;
  let privateKeyFile: string;
  let repository: GitRepositoryPort;
  let head: string;

  beforeEach(async () => {
    now = Date.parse('2026-03-01T12:00:00Z');
    origin = await TemporaryRepository.create();
    head = await origin.commit('One', { 'a.yaml': 'a\n' });
    git = new HttpGitServer(origin.folder);
    git.credentials = 'x-access-token:ghs_first';
    api = new GitHubAppServer(appKey.publicKey, () => now);
    folder = await temporaryFolder();
    privateKeyFile = join(folder, 'app.pem');
    await writeFile(privateKeyFile, appKey.privateKey);
    const adapter = await GitAdapter.create({ folder, now: () => now });
    const [url, apiUrl] = await Promise.all([git.start(), api.start()]);
    const githubApp = { appId: '7', installationId: '42', privateKeyFile, apiUrl };
    const credentials = { githubApp };
    repository = await adapter.open({ source: 'policies', url, ref: 'refs/heads/main', credentials });
  });

  afterEach(async () => {
    await Promise.all([git.stop(), api.stop(), origin.remove()]);
  });

  it('fetches with an installation token, and asks for it once', async () => {
    await expect(repository.fetchHead(limits)).resolves.toBe(head);
    await expect(repository.fetchHead(limits)).resolves.toBe(head);
    expect(api.claims).toEqual([{ iat: now / 1000 - 60, exp: now / 1000 + 540, iss: '7' }]);
  });

  it('shows neither key nor token in an argument or an environment', async () => {
    const secrets = ['ghs_first', ...appKey.privateKey.split('\n').slice(1, -2)];
    const shown: string[] = [];
    if (showsProcesses()) git.onRequest = () => shown.push(...shownSecrets(secrets));
    await repository.fetchHead(limits);
    expect(shown).toEqual([]);
    expect(git.requests.length).toBeGreaterThan(0);
  });

  it('asks for another before the token ends', async () => {
    await repository.fetchHead(limits);
    api.token = 'ghs_second';
    git.credentials = 'x-access-token:ghs_second';
    now += 59 * minute;
    await expect(repository.fetchHead(limits)).resolves.toBe(head);
    expect(api.claims).toHaveLength(2);
  });

  it.each([
    ['another key than the App has', strangerKey.privateKey, 'AuthenticationFailed'],
    ['a file that holds no key', 'n0t-a-key\n', 'CredentialsInvalid'],
  ])('is refused with %s, says nothing of it, and takes the right one next', async (_name, text, code) => {
    await writeFile(privateKeyFile, text);
    const error: unknown = await repository.fetchHead(limits).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(AdapterError);
    expect(error).toMatchObject({ code, retryable: false });
    const shown = `${String(error)}${JSON.stringify(error)}`;
    const secrets = text.split('\n').filter((line) => line !== '' && !line.startsWith('-----'));
    expect(secrets.filter((line) => shown.includes(line))).toEqual([]);
    await writeFile(privateKeyFile, appKey.privateKey);
    await expect(repository.fetchHead(limits)).resolves.toBe(head);
  });

  it('asks for another where a kept token is refused, once', async () => {
    await repository.fetchHead(limits);
    api.token = 'ghs_second';
    git.credentials = 'x-access-token:ghs_second';
    await expect(repository.fetchHead(limits)).resolves.toBe(head);
    expect(api.claims).toHaveLength(2);
    git.credentials = 'x-access-token:ghs_other';
    await expect(repository.fetchHead(limits)).rejects.toMatchObject({ code: 'AuthenticationFailed' });
    expect(api.claims).toHaveLength(3);
  });

  it('asks for no other where the token is fresh, and leaves none on disk', async () => {
    git.credentials = 'x-access-token:ghs_other';
    await expect(repository.fetchHead(limits)).rejects.toMatchObject({ code: 'AuthenticationFailed' });
    expect(api.claims).toHaveLength(1);
    const files = await readdir(folder, { recursive: true });
    expect(files.filter((file) => /app-token|askpass/.test(file))).toEqual([]);
  });

  it('keeps the token out of the error where the Git server refuses it', async () => {
    git.credentials = 'x-access-token:ghs_other';
    const error: unknown = await repository.fetchHead(limits).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'AuthenticationFailed' });
    expect(`${String(error)}${JSON.stringify(error)}`).not.toContain('ghs_first');
  });
});
