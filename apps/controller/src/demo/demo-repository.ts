import { execFile } from 'node:child_process';
import { cp, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { makeFolder } from '#files';

const run = promisify(execFile);

/** Git on a demo repository answers in milliseconds; anything slower is stuck. */
const gitTimeoutMilliseconds = 20_000;

/** The file that is committed while the demo runs, so that a person sees a pull request take effect. */
const lateFile = join('shop', 'checkout.yaml');

/** A real Git repository made of the example, on disk, as a person would have it. */
export interface DemoRepository {
  readonly url: string;
  readonly folder: string;
  /** Commits the checkout policy and returns the abbreviated hash and the subject. */
  readonly commitCheckoutPolicy: () => Promise<string>;
}

/** What to make a repository of. */
export interface DemoRepositoryOptions {
  /** The example's folder. */
  readonly example: string;
  /** A folder that does not exist yet. */
  readonly folder: string;
}

/** Makes the repository with everything but the checkout policy in its first commit. */
export async function createDemoRepository(options: DemoRepositoryOptions): Promise<DemoRepository> {
  const { example, folder } = options;
  await makeFolder(folder);
  await git(folder, ['init', '--quiet', '--initial-branch=main']);
  for (const entry of await readdir(example)) {
    await cp(join(example, entry), join(folder, entry), {
      recursive: true,
      filter: (path) => !path.endsWith(lateFile),
    });
  }
  await commit(folder, 'Add the policies of shop, billing and media');
  return {
    url: `file://${folder}`,
    folder,
    commitCheckoutPolicy: async () => {
      await cp(join(example, lateFile), join(folder, lateFile));
      await commit(folder, 'Add checkout policy');
      return git(folder, ['log', '-1', '--format=%h %s']);
    },
  };
}

async function commit(folder: string, subject: string): Promise<void> {
  await git(folder, ['add', '--all']);
  await git(folder, ['commit', '--quiet', '--message', subject]);
}

/** Git without the person's own configuration: a signing key or a template there must not stop the demo. */
async function git(folder: string, operands: readonly string[]): Promise<string> {
  const { stdout } = await run('git', [...operands], {
    cwd: folder,
    timeout: gitTimeoutMilliseconds,
    env: {
      PATH: process.env['PATH'],
      HOME: folder,
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_AUTHOR_NAME: 'Alex Example',
      GIT_AUTHOR_EMAIL: 'alex@example.com',
      GIT_COMMITTER_NAME: 'Alex Example',
      GIT_COMMITTER_EMAIL: 'alex@example.com',
    },
  });
  return stdout.trim();
}
