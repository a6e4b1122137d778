import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A Git repository of policies, written as a person would: files and commits. */
export interface PolicyRepository {
  readonly url: string;
  /** Writes (or, with null, removes) files and commits them; returns the commit's hash. */
  readonly commit: (subject: string, files: Files) => string;
  /** Replaces the last commit by another: what a force-push leaves. */
  readonly rewrite: (subject: string, files: Files) => string;
  /** Brings its objects into one pack, as servers keep them: what is fetched is compressed once, and not at each fetch. */
  readonly pack: () => void;
}

/** Paths and texts; null removes a file. */
type Files = Readonly<Record<string, string | null>>;

/** Makes an empty repository with a first commit. */
export function createPolicyRepository(folder: string): PolicyRepository {
  mkdirSync(folder, { recursive: true });
  const git = (...operands: readonly string[]): string =>
    // What git tidies after a commit goes on beside what is tested, in a folder that is removed.
    execFileSync('git', ['-c', 'maintenance.auto=false', ...operands], {
      cwd: folder,
      encoding: 'utf8',
      env: {
        PATH: process.env['PATH'],
        HOME: folder,
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_CONFIG_GLOBAL: '/dev/null',
        GIT_AUTHOR_NAME: 'Alex Example',
        GIT_AUTHOR_EMAIL: 'alex@example.com',
        GIT_COMMITTER_NAME: 'Alex Example',
        GIT_COMMITTER_EMAIL: 'alex@example.com',
      },
    }).trim();
  git('init', '--quiet', '--initial-branch=main');
  const write = (files: Files): void => {
    for (const [path, text] of Object.entries(files)) {
      const file = join(folder, path);
      mkdirSync(dirname(file), { recursive: true });
      if (text === null) rmSync(file);
      else writeFileSync(file, text);
    }
    git('add', '--all');
  };
  const commit: PolicyRepository['commit'] = (subject, files) => {
    write(files);
    git('commit', '--quiet', '--allow-empty', '--message', subject);
    return git('rev-parse', 'HEAD');
  };
  const rewrite: PolicyRepository['rewrite'] = (subject, files) => {
    write(files);
    git('commit', '--quiet', '--amend', '--message', subject);
    return git('rev-parse', 'HEAD');
  };
  commit('Begin', { 'README.md': 'Policies\n' });
  const pack = (): void => void git('repack', '-a', '-d', '--quiet');
  return { url: `file://${folder}`, commit, rewrite, pack };
}
