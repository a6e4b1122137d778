import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mayApprove, type TrustedSigners } from '#git-sync';
import { policyYaml } from '#git-sync/testing';
import { SyncBench } from './support/sync-bench.ts';
import { temporaryFolder } from './support/temporary-repository.ts';

const ada = 'ada@example.com';
const request = { by: 'olga', reason: 'known person, new laptop' };

/** Makes an SSH key and answers its file. */
function sshKey(folder: string, name: string): string {
  const file = join(folder, name);
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', name, '-f', file]);
  return file;
}

describe('signed commits', () => {
  let bench: SyncBench;
  let folder: string;
  let key: string;
  let trusted: TrustedSigners;

  beforeEach(async () => {
    bench = await SyncBench.create();
    folder = await temporaryFolder();
    key = sshKey(folder, 'ada');
    const allowed = join(folder, 'allowed_signers');
    await writeFile(allowed, `${ada} ${await readFile(`${key}.pub`, 'utf8')}`);
    trusted = { sshAllowedSignersFile: allowed };
  });

  afterEach(() => bench.remove());

  const signing = (file: string): readonly string[] => [`--gpg-sign=${file}`];

  async function verifying(line: 'Head' | 'FirstParent' | 'Every'): Promise<void> {
    await bench.origin.git('config', 'gpg.format', 'ssh');
    await bench.restart({ verify: { line, trusted } });
  }

  it('activates a commit of an allowed signer', async () => {
    await verifying('FirstParent');
    await bench.origin.commit('Signed', { 'a.yaml': policyYaml('a') }, signing(key));
    await expect(bench.sync.sync()).resolves.toMatchObject({ result: 'active' });
  });

  it('holds an unsigned commit, and one of a stranger, naming it, until an approver accepts it', async () => {
    await verifying('FirstParent');
    await bench.origin.commit('Signed', { 'a.yaml': policyYaml('a') }, signing(key));
    await bench.sync.sync();
    const unsigned = await bench.origin.commit('Unsigned', { 'a.yaml': policyYaml('a', { max: 20 }) });
    const held = await bench.sync.sync();
    expect(held).toMatchObject({
      result: 'held',
      holds: [{ causes: [{ code: 'Unverified', items: [unsigned] }] }],
    });
    const stranger = await bench.origin.commit(
      'Stranger',
      { 'a.yaml': policyYaml('a', { max: 30 }) },
      signing(sshKey(folder, 'eve')),
    );
    const both = await bench.sync.sync();
    const why = `^${stranger.slice(0, 12)} is not verified: .+; and 1 more \\(${unsigned.slice(0, 12)}: unsigned\\)$`;
    expect(both).toMatchObject({
      result: 'held',
      holds: [{ causes: [{ message: expect.stringMatching(why), items: [stranger, unsigned] }] }],
    });
    expect(bench.bounds()).toEqual(['shop/a 1-10']);
    await bench.sync.approve(both.holds[0]?.digest ?? '', request);
    expect(bench.bounds()).toEqual(['shop/a 1-30']);
  });

  it('takes allowed signers that were rotated on disk at the next look', async () => {
    await verifying('FirstParent');
    await bench.origin.commit('Signed', { 'a.yaml': policyYaml('a') }, signing(key));
    await bench.sync.sync();
    const eve = sshKey(folder, 'eve');
    await bench.origin.commit('New laptop', { 'a.yaml': policyYaml('a', { max: 20 }) }, signing(eve));
    await expect(bench.sync.sync()).resolves.toMatchObject({ result: 'held' });
    const file = trusted.sshAllowedSignersFile ?? '';
    await writeFile(file, `${ada} ${await readFile(`${eve}.pub`, 'utf8')}`);
    await expect(bench.sync.sync()).resolves.toMatchObject({ result: 'active' });
    expect(bench.bounds()).toEqual(['shop/a 1-20']);
  });

  it('finds a file of signers by a path from the folder that the process was started in', async () => {
    await bench.origin.git('config', 'gpg.format', 'ssh');
    const sshAllowedSignersFile = relative(process.cwd(), trusted.sshAllowedSignersFile ?? '');
    await bench.restart({ verify: { line: 'Head', trusted: { sshAllowedSignersFile } } });
    await bench.origin.commit('Signed', { 'a.yaml': policyYaml('a') }, signing(key));
    await expect(bench.sync.sync()).resolves.toMatchObject({ result: 'active' });
  });

  it('looks at the first-parent line, at every commit, or at the head alone', async () => {
    await verifying('FirstParent');
    await bench.origin.commit('Signed', { 'a.yaml': policyYaml('a') }, signing(key));
    await bench.sync.sync();
    await bench.origin.git('checkout', '--quiet', '-b', 'topic');
    await bench.origin.commit('Unsigned on a branch', { 'b.yaml': policyYaml('b') });
    await bench.origin.git('checkout', '--quiet', 'main');
    await bench.origin.git('merge', '--quiet', '--no-ff', '--message=Merge', `--gpg-sign=${key}`, 'topic');
    await verifying('Every');
    await expect(bench.sync.sync()).resolves.toMatchObject({ result: 'held' });
    await verifying('FirstParent');
    await expect(bench.sync.sync()).resolves.toMatchObject({ result: 'active' });
  });

  it('checks OpenPGP signatures, and says when the forge signed', async () => {
    const home = join(folder, 'gnupg');
    execFileSync('mkdir', ['-m', '700', home]);
    const gpg = (...args: readonly string[]): string =>
      execFileSync(
        'gpg',
        ['--batch', '--homedir', home, '--pinentry-mode', 'loopback', '--passphrase', '', ...args],
        {
          encoding: 'utf8',
          stdio: ['ignore', 'pipe', 'ignore'],
        },
      );
    gpg('--quick-generate-key', `Ada <${ada}>`, 'ed25519', 'sign', 'never');
    const keys = join(folder, 'keys.asc');
    await writeFile(keys, gpg('--armor', '--export'));
    const fingerprint = /^fpr:+([0-9A-F]+):/m.exec(gpg('--with-colons', '--list-keys'))?.[1] ?? '';
    bench.origin.environment = { GNUPGHOME: home };
    const hash = await bench.origin.commit('Signed', { 'a.yaml': policyYaml('a') }, signing(fingerprint));
    const { GitAdapter } = await import('#adapter-git');
    const git = await GitAdapter.create({ folder: await temporaryFolder(), now: () => Date.now() });
    const repository = await git.open(bench.configuration.location);
    await repository.fetchHead(bench.configuration.fetchLimits);
    await expect(repository.loadSignature(hash, { openPgpKeysFile: keys })).resolves.toMatchObject({
      status: 'Verified',
      by: 'person',
      signer: `Ada <${ada}>`,
    });
    await expect(
      repository.loadSignature(hash, { openPgpKeysFile: keys, forgeFingerprints: [fingerprint] }),
    ).resolves.toMatchObject({ status: 'Verified', by: 'forge' });
    await expect(repository.loadSignature(hash, trusted)).resolves.toMatchObject({ status: 'Untrusted' });
    gpg('--quick-generate-key', 'Another <another@example.com>', 'ed25519', 'sign', 'never');
    await writeFile(keys, gpg('--armor', '--export', 'another@example.com'));
    await expect(repository.loadSignature(hash, { openPgpKeysFile: keys })).resolves.toMatchObject({
      status: 'Untrusted',
    });
    execFileSync('gpgconf', ['--homedir', home, '--kill', 'all']);
  });
});

describe('who may approve', () => {
  const commit = {
    hash: '',
    tree: '',
    parents: [],
    author: { name: 'Ada', email: ada, time: '' },
    committer: { name: 'Carl', email: 'carl@example.com', time: '' },
    subject: '',
    message:
      'Raise\n\nco-authored-by: Mia <12+mia@users.noreply.github.com>\nCo-authored-by: Max <Max@example.com>\n',
  };
  const another = { ...commit, committer: { ...commit.committer, email: '12+nia@users.noreply.github.com' } };
  const participants = {
    commits: [commit, another],
    signers: ['Sam <sam@example.com>'],
    areAuthorsKnown: true,
    pullRequestAuthor: 'pat',
  };

  it.each([
    {
      name: 'not the author, whatever the letter case',
      approver: { email: 'ADA@example.com' },
      want: 'SelfApproval',
    },
    { name: 'not the committer', approver: { email: 'carl@example.com' }, want: 'SelfApproval' },
    { name: 'not the signer', approver: { email: 'sam@example.com' }, want: 'SelfApproval' },
    {
      name: "not the pull request's author",
      approver: { email: 'p@example.com', forgeLogin: 'Pat' },
      want: 'SelfApproval',
    },
    { name: 'not a co-author', approver: { email: 'max@example.com' }, want: 'SelfApproval' },
    {
      name: 'not a co-author by a login',
      approver: { email: 'm@example.com', forgeLogin: 'mia' },
      want: 'SelfApproval',
    },
    {
      name: 'not the committer by an address of the forge',
      approver: { email: 'n@example.com', forgeLogin: 'Nia' },
      want: 'SelfApproval',
    },
    { name: 'no one whose address is unknown', approver: {}, want: 'IdentityUnknown' },
    {
      name: 'no one of whom it is not known whether the pull request is its own',
      approver: { email: 'olga@example.com' },
      want: 'IdentityUnknown',
    },
    {
      name: 'another person',
      approver: { email: 'olga@example.com', forgeLogin: 'olga' },
      want: 'allowed',
    },
  ])('$name', ({ approver, want }) => {
    const right = mayApprove({ name: 'x', ...approver }, participants);
    expect(right.isAllowed ? 'allowed' : right.code).toBe(want);
  });

  it('compares addresses alone where signers are known by theirs', () => {
    const right = mayApprove(
      { name: 'x', email: 'olga@example.com' },
      { ...participants, areSignersKnown: true },
    );
    expect(right).toEqual({ isAllowed: true });
  });

  it.each([
    { name: 'an unverified commit', change: { unverifiedCommits: ['c0ffee'] }, says: 'who wrote c0ffee' },
    {
      name: 'a signer that is a pattern',
      change: { signers: ['*@example.org'] },
      says: 'a key of *@example.org',
    },
  ])('lets nobody approve $name, unless that is configured', ({ change, says }) => {
    const olga = { name: 'x', email: 'olga@example.com', forgeLogin: 'olga' };
    const given = { ...participants, ...change };
    const right = mayApprove(olga, given);
    expect(right).toMatchObject({ code: 'IdentityUnknown' });
    expect(right.isAllowed ? '' : right.message).toContain(says);
    expect(mayApprove(olga, given, 'Allowed')).toEqual({ isAllowed: true });
  });

  it('lets an unknown address approve only where that is configured', () => {
    expect(mayApprove({ name: 'token' }, participants, 'Allowed')).toEqual({ isAllowed: true });
  });
});
