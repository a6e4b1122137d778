import { execFileSync } from 'node:child_process';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mayApprove, type SyncOutcome, type TrustedSigners } from '#git-sync';
import { policyYaml } from '#git-sync/testing';
import { SyncBench } from '../integration/git-sync/support/sync-bench.ts';
import { temporaryFolder } from '../integration/git-sync/support/temporary-repository.ts';

const ada = 'ada@example.com';
const eve = { name: 'eve', email: 'eve@example.com' };
const olga = { name: 'olga', email: 'olga@example.com' };

let bench: SyncBench;
let folder: string;
/** Files of keys that were made: an agent of GnuPG ends with its test. */
let gnupgHomes: string[] = [];

beforeEach(async () => {
  bench = await SyncBench.create();
  folder = await temporaryFolder();
});

afterEach(async () => {
  for (const home of gnupgHomes) execFileSync('gpgconf', ['--homedir', home, '--kill', 'all']);
  gnupgHomes = [];
  await bench.remove();
});

/** Makes an SSH key, and answers its file. */
function sshKey(name: string): string {
  const file = join(folder, name);
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', name, '-f', file]);
  return file;
}

/** Lines of allowed signers: `ada@example.com valid-before="20260101"` and a key's file. */
async function allow(lines: readonly (readonly [string, string])[]): Promise<TrustedSigners> {
  const keys = await Promise.all(lines.map(([, key]) => readFile(`${key}.pub`, 'utf8')));
  const file = join(folder, 'allowed_signers');
  await writeFile(file, lines.map(([options], index) => `${options} ${keys[index] ?? ''}`).join(''));
  await bench.origin.git('config', 'gpg.format', 'ssh');
  return { sshAllowedSignersFile: file };
}

/** A GnuPG of its own, with a key of Ada's. */
class KeyOwner {
  readonly home: string;
  readonly #keys: string;

  private constructor(home: string, keys: string) {
    this.home = home;
    this.#keys = keys;
  }

  /** RFC 3339 without separators, as GnuPG writes it. */
  static async create(expiry = 'never', made?: string): Promise<KeyOwner> {
    const home = join(await temporaryFolder(), 'gnupg');
    await mkdir(home, { mode: 0o700 });
    gnupgHomes.push(home);
    const owner = new KeyOwner(home, join(folder, 'keys.asc'));
    const then = made === undefined ? [] : ['--faked-system-time', `${made}!`];
    owner.gpg(...then, '--quick-generate-key', `Ada <${ada}>`, 'ed25519', 'sign', expiry);
    bench.origin.environment = { GNUPGHOME: home };
    await bench.origin.git('config', 'user.signingKey', owner.fingerprints()[0] ?? '');
    return owner;
  }

  gpg(...args: readonly string[]): string {
    return execFileSync(
      'gpg',
      [
        '--batch',
        '--yes',
        '--homedir',
        this.home,
        '--pinentry-mode',
        'loopback',
        '--passphrase',
        '',
        ...args,
      ],
      { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
    );
  }

  /** Of the key, and then of its subkeys. */
  fingerprints(): readonly string[] {
    return [...this.gpg('--with-colons', '--list-keys').matchAll(/^fpr:+([0-9A-F]+):/gm)].map(
      ([, fingerprint = '']) => fingerprint,
    );
  }

  /** What is trusted from now on: the keys as they are at this moment. */
  async trust(): Promise<TrustedSigners> {
    await writeFile(this.#keys, this.gpg('--armor', '--export'));
    return { openPgpKeysFile: this.#keys };
  }

  /** Imports what `gpg --gen-revoke` makes beside every key. */
  async revoke(): Promise<void> {
    const [fingerprint = ''] = this.fingerprints();
    const file = join(this.home, 'openpgp-revocs.d', `${fingerprint}.rev`);
    const text = await readFile(file, 'utf8');
    await writeFile(file, text.replace(':-----BEGIN', '-----BEGIN'));
    this.gpg('--import', file);
  }
}

async function verifying(
  trusted: TrustedSigners,
  line: 'Head' | 'FirstParent' | 'Every' = 'FirstParent',
): Promise<void> {
  await bench.restart({ verify: { line, trusted } });
}

/** What holds the source, each with the commits it names. */
function causesOf({ holds }: SyncOutcome): readonly string[] {
  return holds.flatMap(({ causes }) => causes.map(({ code, message }) => `${code}: ${message}`));
}

/** Makes a commit, and a look at it. */
async function looking(maximum: number, options: readonly string[] = []): Promise<SyncOutcome> {
  await bench.origin.commit(`To ${maximum}`, { 'a.yaml': policyYaml('a', { max: maximum }) }, options);
  return bench.sync.sync();
}

const signed = ['--gpg-sign'];
const signedBy = (key: string): readonly string[] => [`--gpg-sign=${key}`];

/** Has git sign with whatever program, as a signature of X.509: a certificate that anybody can make for any name. */
async function signWithOwnCertificate(): Promise<void> {
  const [key, certificate, program] = ['key.pem', 'certificate.pem', 'sign.sh'].map((name) =>
    join(folder, name),
  ) as [string, string, string];
  execFileSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-keyout',
      key,
      '-out',
      certificate,
      '-subj',
      '/CN=Ada',
    ],
    { stdio: 'ignore' },
  );
  await writeFile(
    program,
    `#!/bin/sh
echo "-----BEGIN SIGNED MESSAGE-----"
openssl cms -sign -binary -signer ${certificate} -inkey ${key} -outform DER -md sha256 | base64 -w 64
echo "-----END SIGNED MESSAGE-----"
echo "[GNUPG:] SIG_CREATED " >&2
`,
  );
  await chmod(program, 0o700);
  await bench.origin.git('config', 'gpg.format', 'x509');
  await bench.origin.git('config', 'gpg.x509.program', program);
}

describe('a certificate of its own', () => {
  it('is no OpenPGP key of an allowed signer', async () => {
    const owner = await KeyOwner.create();
    await verifying(await owner.trust());
    await signWithOwnCertificate();
    expect(causesOf(await looking(10, signed))).toEqual([
      expect.stringContaining('the signature is neither of SSH nor of OpenPGP'),
    ]);
    expect(bench.bounds()).toEqual([]);
  });

  it('is no SSH key of an allowed signer', async () => {
    await verifying(await allow([[ada, sshKey('ada')]]));
    await signWithOwnCertificate();
    expect(causesOf(await looking(10, signed))).toEqual([expect.stringContaining('Unverified')]);
  });
});

describe('OpenPGP keys that change after they signed', () => {
  it('one that was revoked verifies nothing, and what it signed before stays in force', async () => {
    const owner = await KeyOwner.create();
    await verifying(await owner.trust());
    expect((await looking(10, signed)).result).toBe('active');
    await bench.origin.commit('Signed', { 'a.yaml': policyYaml('a', { max: 20 }) }, signed);
    await owner.revoke();
    await owner.trust();
    expect(causesOf(await bench.sync.sync())).toEqual([expect.stringContaining('the key is revoked')]);
    expect(bench.bounds()).toEqual(['shop/a 1-10']);
  });

  it('one that expired verifies nothing, though it was valid when it signed', async () => {
    const owner = await KeyOwner.create('20250601T000000', '20250101T000000');
    await verifying(await owner.trust());
    const program = join(folder, 'gpg-of-then');
    await writeFile(program, '#!/bin/sh\nexec gpg --faked-system-time 20250201T000000! "$@"\n', {
      mode: 0o700,
    });
    await bench.origin.git('config', 'gpg.program', program);
    expect(causesOf(await looking(10, signed))).toEqual([expect.stringContaining('the key has expired')]);
  });

  it('a subkey counts for its key, also as that of a forge', async () => {
    const owner = await KeyOwner.create();
    const [primary = ''] = owner.fingerprints();
    owner.gpg('--quick-add-key', primary, 'ed25519', 'sign', 'never');
    const [, subkey = ''] = owner.fingerprints();
    const trusted = await owner.trust();
    const hash = await bench.origin.commit('Signed', { 'a.yaml': policyYaml('a') }, signedBy(`${subkey}!`));
    await verifying({ ...trusted, forgeFingerprints: [primary] });
    expect((await bench.sync.sync()).result).toBe('active');
    const details = (await bench.store.listRevisions('policies', 1))[0]?.details;
    expect(details?.['signatures']).toEqual([
      {
        commit: hash,
        status: 'Verified',
        by: 'forge',
        signer: `Ada <${ada}>`,
        fingerprint: subkey,
        reason: null,
        accepted: false,
      },
    ]);
  });
});

describe('SSH keys', () => {
  it('an expired one signs nothing any more by naming an earlier time', async () => {
    const key = sshKey('ada');
    await verifying(await allow([[`${ada} valid-before="20260301"`, key]]));
    // The repository's clock stands at January.
    expect(causesOf(await looking(10, signedBy(key)))).toEqual([
      expect.stringContaining('the key is not valid now'),
    ]);
  });

  it('one for another purpose signs no commit', async () => {
    const key = sshKey('ada');
    await verifying(await allow([[`${ada} namespaces="file"`, key]]));
    expect(causesOf(await looking(10, signedBy(key)))).toEqual([expect.stringContaining('Unverified')]);
  });

  it('a second signature does not stand for the first', async () => {
    const key = sshKey('ada');
    await verifying(await allow([[ada, key]]));
    await bench.origin.commit('Signed', { 'a.yaml': policyYaml('a') }, signedBy(key));
    const text = await bench.origin.git('cat-file', 'commit', 'HEAD');
    const signature = /^gpgsig [^]*?END SSH SIGNATURE-----$/m.exec(text)?.[0] ?? '';
    const file = join(folder, 'commit');
    await writeFile(file, `${text.replace(signature, `${signature}\n${signature}`)}\n`);
    const twice = await bench.origin.git('hash-object', '-t', 'commit', '-w', file);
    await bench.origin.git('update-ref', 'refs/heads/main', twice);
    expect(causesOf(await bench.sync.sync())).toEqual([
      expect.stringContaining('the commit has more than one signature'),
    ]);
  });

  it('a signature of another commit verifies nothing', async () => {
    const key = sshKey('ada');
    await verifying(await allow([[ada, key]]));
    expect((await looking(10, signedBy(key))).result).toBe('active');
    const text = await bench.origin.git('cat-file', 'commit', 'HEAD');
    const signature = /^gpgsig [^]*?END SSH SIGNATURE-----\n/m.exec(`${text}\n`)?.[0] ?? '';
    await bench.origin.commit('Unsigned', { 'a.yaml': policyYaml('a', { max: 99 }) });
    const unsigned = await bench.origin.git('cat-file', 'commit', 'HEAD');
    const file = join(folder, 'commit');
    await writeFile(file, `${unsigned.replace('\n\n', `\n${signature}\n`)}\n`);
    const forged = await bench.origin.git('hash-object', '-t', 'commit', '-w', file);
    await bench.origin.git('update-ref', 'refs/heads/main', forged);
    expect(causesOf(await bench.sync.sync())).toEqual([
      expect.stringContaining('the signature does not fit the commit'),
    ]);
  });
});

describe('who signed may not approve, by whatever name', () => {
  /** Who may approve what is held. */
  async function rights(...people: readonly { readonly name: string; readonly email: string }[]) {
    const [hold] = bench.sync.holds();
    if (hold === undefined) throw new Error('nothing is held');
    // As of a forge that knows who opened the pull request.
    const participants = { ...(await bench.sync.participants(hold)), pullRequestAuthor: 'nobody' };
    return people.map((person) => {
      const right = mayApprove(person, participants);
      return right.isAllowed ? 'allowed' : right.code;
    });
  }

  /** In force, and then a bound below half of what runs, by an author who is made up. */
  async function heldBound(options: readonly string[]): Promise<void> {
    expect((await looking(40, options)).result).toBe('active');
    bench.replicas.set('shop/a', 30);
    const forged = ['--author=Nobody <nobody@example.com>', ...options];
    expect((await looking(3, forged)).result).toBe('held');
  }

  it('another principal of an SSH key', async () => {
    const key = sshKey('eve');
    await verifying(await allow([[`${ada},${eve.email}`, key]]));
    await heldBound(signedBy(key));
    await expect(rights(eve, olga)).resolves.toEqual(['SelfApproval', 'allowed']);
  });

  it('a principal of the same SSH key in another line', async () => {
    const key = sshKey('eve');
    await verifying(
      await allow([
        [ada, key],
        [eve.email, key],
      ]),
    );
    await heldBound(signedBy(key));
    await expect(rights(eve, olga)).resolves.toEqual(['SelfApproval', 'allowed']);
  });

  it('a principal that stands for many', async () => {
    const key = sshKey('eve');
    await verifying(await allow([['*@example.com', key]]));
    await heldBound(signedBy(key));
    await expect(rights(eve, olga)).resolves.toEqual(['IdentityUnknown', 'IdentityUnknown']);
  });

  it('another user id of an OpenPGP key', async () => {
    const owner = await KeyOwner.create();
    const [fingerprint = ''] = owner.fingerprints();
    owner.gpg('--quick-add-uid', fingerprint, `Eve: the other <${eve.email}>`);
    owner.gpg('--quick-set-primary-uid', fingerprint, `Ada <${ada}>`);
    await verifying(await owner.trust());
    await heldBound(signed);
    await expect(rights(eve, olga)).resolves.toEqual(['SelfApproval', 'allowed']);
  });

  it('nobody accepts a commit that nobody signed, and anybody may have written', async () => {
    const key = sshKey('ada');
    await bench.restart({ hasForge: false });
    await verifying(await allow([[ada, key]]));
    expect((await looking(10, signedBy(key))).result).toBe('active');
    const forged = ['--author=Nobody <nobody@example.com>'];
    expect((await looking(20, forged)).result).toBe('held');
    await expect(rights(eve, olga)).resolves.toEqual(['IdentityUnknown', 'IdentityUnknown']);
  });
});
