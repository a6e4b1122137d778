import { createHash } from 'node:crypto';
import { access, readdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { makeFolder } from '#files';
import type { GitLocation, GitPort, GitRepositoryPort } from '#git-sync';
import { AdapterError, fileFault } from '#kernel';
import { credentialEnvironment, removeCredentials } from './credentials/credentials.ts';
import { GitHubAppTokens } from './credentials/github-app-tokens.ts';
import { protocolOf } from './credentials/protocol-of.ts';
import type { RemoteAccess } from './fetch/remote.ts';
import { removeLeftovers } from './fetch/remove-leftovers.ts';
import type { RepositoryContext } from './fetch/repository-context.ts';
import { GitNoteLog } from './git-note-log.ts';
import { GitRepository } from './git-repository.ts';
import { checkedRef } from './objects/git-ref.ts';
import { GitRunner } from './run/git-runner.ts';
import { loadGitVersion } from './run/git-version.ts';
import { writeLauncher } from './run/write-launcher.ts';

export interface GitAdapterOptions {
  /** Where bare repositories are kept; made where it is missing. What is below belongs to us. */
  readonly folder: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** The system's git behind the port. */
export class GitAdapter implements GitPort {
  readonly #folder: string;
  readonly #now: () => number;
  #launcher = '';
  readonly #appTokens: GitHubAppTokens;
  readonly #closing = new AbortController();

  constructor(options: GitAdapterOptions) {
    // Git runs in folders of its own, where a relative path would name another place.
    this.#folder = resolve(options.folder);
    this.#now = options.now;
    this.#appTokens = new GitHubAppTokens(options.now);
  }

  /**
   * Constructs and prepares it.
   *
   * @throws AdapterError as {@link GitAdapter.prepare} does.
   */
  static async create(options: GitAdapterOptions): Promise<GitAdapter> {
    const adapter = new GitAdapter(options);
    await adapter.prepare();
    return adapter;
  }

  /**
   * Makes the folder and checks git's version.
   *
   * @throws AdapterError `GitTooOld` or `GitNotRun`
   */
  async prepare(): Promise<void> {
    await makeFolder(this.#folder, 0o700);
    this.#launcher = await writeLauncher(this.#folder);
    await loadGitVersion(new GitRunner(this.#folder, this.#launcher));
  }

  /**
   * @throws AdapterError `UrlNotAllowed` or `RefNotAllowed` before anything is written
   */
  readonly open = async (location: GitLocation): Promise<GitRepositoryPort> => {
    const shared = await this.#initialise(location);
    const memory = { filter: undefined, head: undefined, listing: undefined };
    return new GitRepository({ ...shared, memory, now: this.#now });
  };

  /**
   * Opens a ref to commit to.
   *
   * @throws AdapterError `UrlNotAllowed` or `RefNotAllowed` before anything is written
   */
  readonly openNoteLog = async (location: GitLocation): Promise<GitNoteLog> =>
    new GitNoteLog(await this.#initialise(location));

  async #initialise(location: GitLocation): Promise<Omit<RepositoryContext, 'memory' | 'now'>> {
    protocolOf(location.url);
    const ref = checkedRef(location.ref);
    const folder = join(this.#folder, folderName(location));
    const runner = new GitRunner(folder, this.#launcher, this.#closing.signal);
    const make = async (): Promise<void> => {
      await this.#makeFolders(folder);
      await removeLeftovers(folder, this.#now());
      await removeCredentials(folder);
      await initialise(runner, location.url);
    };
    await make();
    const access = this.#access(location, folder);
    const restore = async (): Promise<boolean> => {
      if (await areThere([this.#launcher, ...partsOf(folder)])) return false;
      await make();
      return true;
    };
    const reformat = (): Promise<void> => initialiseAnew(runner, { url: location.url, folder });
    return { runner, access, ref, restore, reformat };
  }

  /** @throws AdapterError `FolderUnusable` */
  async #makeFolders(folder: string): Promise<void> {
    try {
      await makeFolder(folder, 0o700);
      await writeLauncher(this.#folder);
    } catch (error) {
      const message = `the repository cannot be kept in ${folder}: ${fileFault(error, folder)}`;
      throw new AdapterError({ code: 'FolderUnusable', message, retryable: true, cause: error });
    }
  }

  /** Ends commands under way, and refuses later ones with `AdapterError` `Closed`. */
  close(): void {
    const message = 'Git is no longer used: the process is ending';
    this.#closing.abort(new AdapterError({ code: 'Closed', message, retryable: true }));
  }

  #access(location: GitLocation, folder: string): RemoteAccess {
    const credentials = location.credentials ?? {};
    const protocol = protocolOf(location.url);
    const appTokens = this.#appTokens;
    return {
      folder,
      protocol,
      environment: () => credentialEnvironment({ protocol, credentials, folder, appTokens }),
      renew: () => credentials.githubApp !== undefined && appTokens.forget(credentials.githubApp),
      tidy: () => removeCredentials(folder),
    };
  }
}

/** Another URL is another repository: nothing of the old one can answer for the new one. */
function folderName(location: GitLocation): string {
  const digest = createHash('sha256').update(location.url).digest('hex').slice(0, 12);
  return `${location.source.replaceAll(/[^a-z0-9-]/g, '_')}-${digest}.git`;
}

/** What git knows a bare repository by, and where ours has its remote. */
function partsOf(folder: string): readonly string[] {
  return ['HEAD', 'config', 'objects', 'refs'].map((part) => join(folder, part));
}

async function areThere(paths: readonly string[]): Promise<boolean> {
  const found = await Promise.all(
    paths.map((path) =>
      access(path).then(
        () => true,
        () => false,
      ),
    ),
  );
  return found.every(Boolean);
}

async function initialise(runner: GitRunner, url: string, options: readonly string[] = []): Promise<void> {
  await runner.bytes({
    what: 'make a repository',
    args: ['init', '--bare', '--quiet', '--template=', ...options],
  });
  await runner.bytes({ what: 'name the remote', args: ['config', '--local', 'remote.origin.url', url] });
}

/** As empty as at the first start, and with the other of git's two kinds of object names. */
async function initialiseAnew(
  runner: GitRunner,
  { url, folder }: { readonly url: string; readonly folder: string },
): Promise<void> {
  const format = await runner.text({
    what: 'look at the object format',
    args: ['rev-parse', '--show-object-format'],
  });
  for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true, force: true });
  await initialise(runner, url, [`--object-format=${format === 'sha1' ? 'sha256' : 'sha1'}`]);
}
