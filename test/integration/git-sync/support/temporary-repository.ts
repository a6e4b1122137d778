import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Files by path; null deletes. */
export type Changes = Readonly<Record<string, string | Buffer | null>>;

/** A real repository with a work tree, in a folder of its own. */
export class TemporaryRepository {
  readonly folder: string;
  #clock = Date.parse('2026-01-01T00:00:00Z') / 1000;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** With filters by default. */
  static async create(filters: 'filters' | 'no filters' = 'filters'): Promise<TemporaryRepository> {
    const folder = await mkdtemp(join(tmpdir(), 'plimsoll-repository-'));
    const repository = new TemporaryRepository(folder);
    await repository.git('init', '--quiet', '--initial-branch=main');
    if (filters === 'filters') await repository.git('config', 'uploadpack.allowFilter', 'true');
    return repository;
  }

  get url(): string {
    return `file://${this.folder}`;
  }

  /** Commits the changes, one second after the commit before, and answers the hash. */
  async commit(subject: string, changes: Changes, options: readonly string[] = []): Promise<string> {
    for (const [path, content] of Object.entries(changes)) await this.#change(path, content);
    await this.git('add', '--all');
    await this.git('commit', '--quiet', '--allow-empty', `--message=${subject}`, ...options);
    return this.git('rev-parse', 'HEAD');
  }

  /** Runs git in the work tree and answers what it wrote. */
  async git(...args: readonly string[]): Promise<string> {
    const time = `${(this.#clock += 1)} +0000`;
    const { stdout } = await run('git', [...args], {
      cwd: this.folder,
      maxBuffer: 64 * 1024 * 1024,
      timeout: 60_000,
      env: {
        PATH: process.env['PATH'],
        HOME: this.folder,
        GIT_CONFIG_GLOBAL: '/dev/null',
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_AUTHOR_NAME: 'Ada Author',
        GIT_AUTHOR_EMAIL: 'ada@example.com',
        GIT_AUTHOR_DATE: time,
        GIT_COMMITTER_NAME: 'Carl Committer',
        GIT_COMMITTER_EMAIL: 'carl@example.com',
        GIT_COMMITTER_DATE: time,
        ...this.environment,
      },
    });
    return stdout.trim();
  }

  /** Beside the author's: where a test signs. */
  environment: Readonly<Record<string, string>> = {};

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }

  async #change(path: string, content: string | Buffer | null): Promise<void> {
    const file = join(this.folder, path);
    if (content === null) return rm(file, { force: true });
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  }
}

/** A folder that is removed at the end of the test. */
export async function temporaryFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'plimsoll-data-'));
}
