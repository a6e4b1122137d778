import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { SyncOutcome } from '#git-sync';
import { policyYaml } from '#git-sync/testing';
import { SyncBench } from '../integration/git-sync/support/sync-bench.ts';
import { temporaryFolder } from '../integration/git-sync/support/temporary-repository.ts';

let bench: SyncBench;
let key: string;

beforeEach(async () => {
  bench = await SyncBench.create();
  const folder = await temporaryFolder();
  key = join(folder, 'ada');
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key]);
  const file = join(folder, 'allowed_signers');
  await writeFile(file, `ada@example.com ${await readFile(`${key}.pub`, 'utf8')}`);
  await bench.origin.git('config', 'gpg.format', 'ssh');
  await bench.origin.git('config', 'user.signingKey', key);
  await bench.restart({ verify: { line: 'FirstParent', trusted: { sshAllowedSignersFile: file } } });
});

afterEach(() => bench.remove());

/** What a look comes to: `active`, or the codes of what holds it with the commits they name. */
async function look(): Promise<unknown> {
  return summary(await bench.sync.sync());
}

function summary({ result, holds }: SyncOutcome): unknown {
  const causes = holds.flatMap((hold) => hold.causes);
  return causes.length === 0 ? result : causes.map(({ code, items }) => [code, ...items]);
}

/** Commits a maximum of `shop/a`. */
function commit(maximum: number, options: readonly string[] = ['--gpg-sign']): Promise<string> {
  return bench.origin.commit(`To ${maximum}`, { 'a.yaml': policyYaml('a', { max: maximum }) }, options);
}

/** Writes a commit object, and has the branch point at it. */
async function push(text: string): Promise<string> {
  const file = join(await temporaryFolder(), 'commit');
  await writeFile(file, `${text}\n`);
  const hash = await bench.origin.git('hash-object', '-t', 'commit', '-w', file);
  await bench.origin.git('update-ref', 'refs/heads/main', hash);
  return hash;
}

/** A signed commit of these parents, whatever its tree is made of. */
function commitTree(tree: string, parents: readonly string[], options: readonly string[] = ['-S']) {
  const from = parents.flatMap((parent) => ['-p', parent]);
  return bench.origin.git('commit-tree', ...options, '-m', 'Merge', ...from, tree);
}

const moveTo = (hash: string): Promise<string> => bench.origin.git('update-ref', 'refs/heads/main', hash);

describe('a force-push', () => {
  it('is held where it goes back to an older commit of an allowed signer', async () => {
    const older = await commit(10);
    await expect(look()).resolves.toBe('active');
    const newer = await commit(20);
    await expect(look()).resolves.toBe('active');
    await moveTo(older);
    await expect(look()).resolves.toEqual([
      ['NotDescendant', newer, older],
      ['ScaleInByBound', expect.stringContaining('20 → 10')],
    ]);
    expect(bench.bounds()).toEqual(['shop/a 1-20']);
  });

  it('is held where its commit names the one in force as a parent only below its committer', async () => {
    const active = await commit(10);
    await expect(look()).resolves.toBe('active');
    await bench.origin.git('checkout', '--quiet', '--orphan', 'elsewhere');
    await commit(90, []);
    const root = await bench.origin.git('cat-file', 'commit', 'HEAD');
    await bench.origin.git('symbolic-ref', 'HEAD', 'refs/heads/main');
    const pushed = await push(root.replace('\n\n', `\nparent ${active}\n\n`));
    await expect(bench.origin.git('rev-list', '--parents', '-1', pushed)).resolves.toBe(pushed);
    await expect(look()).resolves.toEqual([
      ['NotDescendant', active, pushed],
      ['Unverified', pushed],
    ]);
  });

  it('is held where that parent stands beside its own, whose author took part', async () => {
    const active = await commit(10);
    await expect(look()).resolves.toBe('active');
    await bench.origin.git('checkout', '--quiet', '--orphan', 'elsewhere');
    const hidden = await commit(80, ['--author=Eve <eve@example.com>']);
    await commit(90, []);
    const top = await bench.origin.git('cat-file', 'commit', 'HEAD');
    await bench.origin.git('symbolic-ref', 'HEAD', 'refs/heads/main');
    const pushed = await push(top.replace('\n\n', `\nparent ${active}\n\n`));
    await expect(look()).resolves.toEqual([
      ['NotDescendant', active, pushed],
      ['Unverified', pushed, hidden],
    ]);
    const [hold] = bench.sync.holds();
    const took = hold === undefined ? undefined : await bench.sync.participants(hold);
    expect(took?.commits.map(({ author }) => author.email)).toEqual(['ada@example.com', 'eve@example.com']);
  });
});

describe('a merge', () => {
  let base: string;

  beforeEach(async () => {
    base = await commit(10);
    await expect(look()).resolves.toBe('active');
  });

  it.each([
    { name: 'two parents', parents: 1 },
    { name: 'an octopus of four parents', parents: 3 },
  ])('of $name: what is not signed comes by a signed one only', async ({ parents }) => {
    const branches: string[] = [];
    for (let index = 0; index < parents; index += 1) {
      await bench.origin.git('checkout', '--quiet', '--detach', base);
      branches.push(
        await bench.origin.commit(`Unsigned ${index}`, { [`b${index}.yaml`]: policyYaml(`b${index}`) }),
      );
    }
    const tree = await bench.origin.git('rev-parse', `${branches.at(-1) ?? ''}^{tree}`);
    const unsigned = await commitTree(tree, [base, ...branches], []);
    await moveTo(unsigned);
    await expect(look()).resolves.toEqual([['Unverified', unsigned]]);
    await moveTo(await commitTree(tree, [base, ...branches]));
    await expect(look()).resolves.toBe('active');
  });

  it('that puts what is not signed first is held, though what is in force is its second parent', async () => {
    await bench.origin.git('checkout', '--quiet', '--detach', base);
    const unsigned = await commit(90, []);
    const tree = await bench.origin.git('rev-parse', `${unsigned}^{tree}`);
    await moveTo(await commitTree(tree, [unsigned, base]));
    await expect(look()).resolves.toEqual([['Unverified', unsigned]]);
  });

  it('whose tree is that of no parent is what its signer signed', async () => {
    const tree = await bench.origin.git('rev-parse', `${await commit(90, [])}^{tree}`);
    await moveTo(base);
    await bench.origin.git('reset', '--quiet', '--hard');
    const other = await commit(12, []);
    await moveTo(await commitTree(tree, [base, other], []));
    await expect(look()).resolves.toEqual([['Unverified', expect.any(String)]]);
    await moveTo(await commitTree(tree, [base, other]));
    await expect(look()).resolves.toBe('active');
    expect(bench.bounds()).toEqual(['shop/a 1-90']);
  });
});

describe('what the remote has besides', () => {
  it('replaces no object', async () => {
    const signed = await commit(10);
    const other = await commit(90, []);
    await moveTo(signed);
    await bench.origin.git('replace', signed, other);
    await bench.origin.git('replace', '--graft', other);
    await expect(look()).resolves.toBe('active');
    expect(bench.bounds()).toEqual(['shop/a 1-10']);
  });

  it('takes no branch away by a tag of its name', async () => {
    await commit(10);
    const other = await commit(90);
    await moveTo(await bench.origin.git('rev-parse', 'HEAD~1'));
    await bench.origin.git('update-ref', 'refs/tags/main', other);
    await bench.origin.git('update-ref', 'refs/tags/refs/heads/main', other);
    await bench.origin.git('update-ref', 'refs/heads/refs/heads/main', other);
    await expect(look()).resolves.toBe('active');
    expect(bench.bounds()).toEqual(['shop/a 1-10']);
  });
});
