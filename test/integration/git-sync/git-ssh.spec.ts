import { chmod, copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { GitAdapter } from '#adapter-git';
import type { GitCredentials, GitRepositoryPort } from '#git-sync';
import { AdapterError } from '#kernel';
import { makeKey, SshGitServer, sshServerMissing, type SshServerOptions } from './support/ssh-git-server.ts';
import { temporaryFolder, TemporaryRepository } from './support/temporary-repository.ts';

const limits = { bytes: 64 * 1024 * 1024, milliseconds: 20_000 };
/** Milliseconds: each fetch is three connections, each with a handshake of its own. */
const patience = 60_000;
const blobLimits = { ...limits, blobBytes: 1_000 };

/** A server with one bare repository, and a client with a key that opens it. */
class SshWorld {
  /** A commit of the repository's main branch. */
  head = '';
  readonly server: SshGitServer;
  readonly #work: TemporaryRepository;
  readonly #keys: string;

  private constructor(server: SshGitServer, work: TemporaryRepository, keys: string) {
    this.server = server;
    this.#work = work;
    this.#keys = keys;
  }

  static async start(
    passesGitProtocol: SshServerOptions['passesGitProtocol'],
    filters: 'true' | 'false',
  ): Promise<SshWorld> {
    const server = await SshGitServer.start({ passesGitProtocol });
    const work = await TemporaryRepository.create();
    const world = new SshWorld(server, work, await mkdtemp(join(tmpdir(), 'plimsoll-keys 5%h-')));
    await work.git('init', '--quiet', '--bare', '--initial-branch=main', world.bare);
    await world.configure('uploadpack.allowFilter', filters);
    await server.authorize(await makeKey(world.file('good')));
    await makeKey(world.file('stranger'));
    await writeFile(world.file('known_hosts'), await server.hostLine());
    await world.commit('first\n');
    return world;
  }

  get bare(): string {
    return `${this.#work.folder}/bare.git`;
  }

  get credentials(): GitCredentials {
    return { sshKeyFile: this.file('good'), knownHostsFile: this.file('known_hosts') };
  }

  file(name: string): string {
    return join(this.#keys, name);
  }

  async commit(text: string): Promise<string> {
    this.head = await this.#work.commit(text, { '.gitignore': 'bare.git\n', 'a.yaml': text });
    await this.#work.git('push', '--quiet', this.bare, 'main');
    return this.head;
  }

  async open(credentials: GitCredentials, ref = 'refs/heads/main'): Promise<GitRepositoryPort> {
    const adapter = await GitAdapter.create({ folder: await temporaryFolder(), now: () => Date.now() });
    const url = this.server.urlOf(this.bare);
    return adapter.open({ source: 'policies', url, ref, credentials });
  }

  /** Sets a setting of the served repository. */
  async configure(setting: string, value: string): Promise<void> {
    await this.#work.git('-C', this.bare, 'config', setting, value);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server.stop();
    await this.#work.remove();
    await rm(this.#keys, { recursive: true, force: true });
  }
}

/** The text of a.yaml at the head, all the way from the server. */
async function loadHead(repository: GitRepositoryPort): Promise<string> {
  const head = await repository.fetchHead(limits);
  const entry = (await repository.loadTree(head, 10)).find(({ path }) => path === 'a.yaml');
  const blob = (await repository.loadBlobs([entry?.id ?? ''], blobLimits)).get(entry?.id ?? '');
  return blob?.kind === 'Bytes' ? new TextDecoder().decode(blob.bytes) : '';
}

/** The error of a fetch that must fail. */
async function refusal(repository: GitRepositoryPort): Promise<AdapterError> {
  const error = await repository.fetchHead(limits).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof AdapterError) return error;
  throw new Error('the fetch was not refused with an AdapterError', { cause: error });
}

function reading(): void {
  it.each([
    ['passes GIT_PROTOCOL', 'true'],
    // What a plain sshd and a plain repository do.
    ['drops GIT_PROTOCOL', 'false'],
  ] as const)(
    'fetches with a key and a known host, where the server %s and filters: %s',
    async (passesGitProtocol, filters) => {
      await using world = await SshWorld.start(passesGitProtocol, filters);
      const repository = await world.open(world.credentials);
      await expect(loadHead(repository)).resolves.toBe('first\n');
      const second = await world.commit('second\n');
      await expect(repository.fetchHead(limits)).resolves.toBe(second);
      await expect(loadHead(repository)).resolves.toBe('second\n');
    },
    patience,
  );

  it(
    'brings everything where the server filters, but gives no objects by name',
    async () => {
      await using world = await SshWorld.start('drops GIT_PROTOCOL', 'true');
      const repository = await world.open(world.credentials);
      await expect(loadHead(repository)).resolves.toBe('first\n');
      await world.commit('second\n');
      await expect(loadHead(repository)).resolves.toBe('second\n');
    },
    patience,
  );

  it(
    'finds a pinned commit among what branches reach, where the server gives nothing by name',
    async () => {
      await using world = await SshWorld.start('drops GIT_PROTOCOL', 'false');
      const pinned = world.head;
      await world.commit('second\n');
      const repository = await world.open(world.credentials, pinned);
      await expect(loadHead(repository)).resolves.toBe('first\n');
      await expect(loadHead(repository)).resolves.toBe('first\n');
      const stranger = await world.open(world.credentials, 'a'.repeat(40));
      const refused = stranger.fetchHead(limits);
      await expect(refused).rejects.toMatchObject({ code: 'RefNotFound' });
      await expect(refused).rejects.toThrow('uploadpack.allowAnySHA1InWant');
    },
    patience,
  );
}

function trusting(): void {
  let world: SshWorld;

  beforeAll(async () => {
    world = await SshWorld.start('passes GIT_PROTOCOL', 'true');
  });

  afterAll(async () => world[Symbol.asyncDispose]());

  beforeEach(async () => {
    await copyFile(world.file('good'), world.file('key'));
  });

  afterEach(async () => rm(world.file('key'), { force: true }));

  it('refuses a server whose key is another than the known one', async () => {
    const knownHostsFile = world.file('other_hosts');
    await writeFile(knownHostsFile, await world.server.hostLineOf(world.file('stranger')));
    const repository = await world.open({ ...world.credentials, knownHostsFile });
    await expect(refusal(repository)).resolves.toMatchObject({ code: 'HostKeyUnknown', retryable: false });
  });

  it('refuses a server that no file knows', async () => {
    const repository = await world.open({ sshKeyFile: world.file('good') });
    await expect(refusal(repository)).resolves.toMatchObject({ code: 'HostKeyUnknown', retryable: false });
  });

  it.each(['sshKeyFile', 'knownHostsFile'])('names %s where it is not there', async (setting) => {
    const missing = world.file('missing');
    const error = await refusal(await world.open({ ...world.credentials, [setting]: missing }));
    expect(error).toMatchObject({ code: 'CredentialsUnreadable', retryable: true });
    expect(error.message).toContain(`credentials.${setting}: ${JSON.stringify(missing)}`);
  });

  it.each([
    ['a key that the server does not know', () => ({ sshKeyFile: world.file('stranger') })],
    ['no key at all', () => ({})],
  ])('is refused with %s', async (_name, key) => {
    const repository = await world.open({ knownHostsFile: world.file('known_hosts'), ...key() });
    await expect(refusal(repository)).resolves.toMatchObject({
      code: 'AuthenticationFailed',
      retryable: false,
    });
  });

  it('takes a key that was rotated on disk at the next fetch', async () => {
    const sshKeyFile = world.file('key');
    await copyFile(world.file('stranger'), sshKeyFile);
    const repository = await world.open({ ...world.credentials, sshKeyFile });
    await expect(refusal(repository)).resolves.toMatchObject({ code: 'AuthenticationFailed' });
    await copyFile(world.file('good'), sshKeyFile);
    await expect(repository.fetchHead(limits)).resolves.toBe(world.head);
  });

  it('takes a known host that was rotated on disk at the next fetch', async () => {
    const knownHostsFile = world.file('rotated_hosts');
    await writeFile(knownHostsFile, await world.server.hostLineOf(world.file('stranger')));
    const repository = await world.open({ ...world.credentials, knownHostsFile });
    await expect(refusal(repository)).resolves.toMatchObject({ code: 'HostKeyUnknown' });
    await copyFile(world.file('known_hosts'), knownHostsFile);
    await expect(repository.fetchHead(limits)).resolves.toBe(world.head);
  });

  it.each([
    { name: 'that others can read', mode: 0o644, damage: (text: string) => text, want: 'mode 0600' },
    {
      name: 'that is damaged',
      mode: 0o600,
      damage: (text: string) => text.replace(/A/g, ''),
      want: 'no private key',
    },
  ])('says what is wrong with a key $name', async ({ mode, damage, want }) => {
    const sshKeyFile = world.file('key');
    await writeFile(sshKeyFile, damage(await readFile(sshKeyFile, 'utf8')));
    await chmod(sshKeyFile, mode);
    const error = await refusal(await world.open({ ...world.credentials, sshKeyFile }));
    expect(error).toMatchObject({ code: 'CredentialsInvalid', retryable: true });
    expect(error.message).toContain(want);
  });

  it('keeps every line of a key out of its errors, even of a damaged one', async () => {
    const sshKeyFile = world.file('key');
    const lines = (await readFile(sshKeyFile, 'utf8')).split('\n').filter((line) => line !== '');
    const secret = lines.filter((line) => !line.startsWith('-----'));
    for (const text of [await readFile(world.file('stranger'), 'utf8'), lines.slice(0, -1).join('\n')]) {
      await writeFile(sshKeyFile, text);
      const error = await refusal(await world.open({ ...world.credentials, sshKeyFile }));
      const shown = `${String(error)}${String(error.stack)}${JSON.stringify(error)}`;
      expect(secret.concat(text.split('\n').slice(1, -1)).filter((line) => shown.includes(line))).toEqual([]);
    }
  });
}

describe('Git over SSH', () => {
  const missing = sshServerMissing();
  if (missing === undefined) {
    describe('reading', reading);
    describe('trust', trusting);
  } else {
    it(`is left out: ${missing}`, () => expect(missing).toContain('sshd'));
  }
});
