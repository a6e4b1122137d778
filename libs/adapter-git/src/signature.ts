import { execFile as execFileWithCallback } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { SignatureStatus, TrustedSigners } from '#git-sync';
import { AdapterError } from '#kernel';
import { mustRead } from './credentials.ts';
import { localTimeoutMilliseconds, maximumCommitBytes } from './git-limits.ts';
import { checkedHash } from './git-ref.ts';
import type { GitRunner } from './git-runner.ts';
import { redact } from './redact.ts';

const execFile = promisify(execFileWithCallback);

/** Where signatures are looked at. */
export interface SignatureContext {
  readonly runner: GitRunner;
  readonly folder: string;
}

/** One answer of git: status letter, signer, fingerprint of the key and of its primary key. */
const format = ['%G?', '%GS', '%GF', '%GP'].join('%x00');

/**
 * Checks a commit's signature with git's own verification, against the configured signers alone.
 *
 * @throws AdapterError where a configured file cannot be read.
 */
export async function loadSignature(
  context: SignatureContext,
  hash: string,
  trusted: TrustedSigners,
): Promise<SignatureStatus> {
  const kind = await signatureKind(context.runner, hash);
  if (kind === undefined) return { status: 'Unsigned' };
  if (kind === 'ssh') return sshSignature(context, hash, trusted);
  return openPgpSignature(context, hash, trusted);
}

async function signatureKind(runner: GitRunner, hash: string): Promise<'ssh' | 'openpgp' | undefined> {
  const text = await runner.text({
    what: `read commit ${hash}`,
    args: ['cat-file', 'commit', checkedHash(hash)],
    maximumOutputBytes: maximumCommitBytes,
  });
  const headers = text.slice(0, Math.max(text.indexOf('\n\n'), 0));
  const signature = /^gpgsig(?:-sha256)? (.*)$/m.exec(headers)?.[1];
  if (signature === undefined) return undefined;
  return signature.includes('SSH SIGNATURE') ? 'ssh' : 'openpgp';
}

async function sshSignature(
  { runner }: SignatureContext,
  hash: string,
  trusted: TrustedSigners,
): Promise<SignatureStatus> {
  const file = trusted.sshAllowedSignersFile;
  if (file === undefined) return { status: 'Untrusted', reason: 'no SSH signers are configured' };
  await mustRead(file, 'verify.sshAllowedSignersFile');
  // Git runs in its repository's folder, where a relative path would name another file.
  return ask(runner, { hash, trusted, settings: [`gpg.ssh.allowedSignersFile=${resolve(file)}`] });
}

/** The keys are imported into a keyring that lives for this one question. */
async function openPgpSignature(
  { runner }: SignatureContext,
  hash: string,
  trusted: TrustedSigners,
): Promise<SignatureStatus> {
  const file = trusted.openPgpKeysFile;
  if (file === undefined) return { status: 'Untrusted', reason: 'no OpenPGP keys are configured' };
  await mustRead(file, 'verify.openPgpKeysFile');
  const home = await mkdtemp(join(tmpdir(), 'plimsoll-gpg-'));
  try {
    await importKeys(home, file);
    return await ask(runner, { hash, trusted, settings: [], gnupgHome: home });
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

interface Question {
  readonly hash: string;
  readonly trusted: TrustedSigners;
  readonly settings: readonly string[];
  readonly gnupgHome?: string;
}

async function ask(runner: GitRunner, question: Question): Promise<SignatureStatus> {
  const text = await runner.text({
    what: `check the signature of ${question.hash}`,
    args: [
      ...question.settings.flatMap((setting) => ['-c', setting]),
      'log',
      '-1',
      '--no-show-signature',
      `--format=${format}`,
      checkedHash(question.hash),
    ],
    ...(question.gnupgHome === undefined ? {} : { environment: { GNUPGHOME: question.gnupgHome } }),
  });
  return statusOf(text.split('\0'), question);
}

function statusOf(answer: readonly string[], question: Question): SignatureStatus {
  const [letter = '', signer = '', ...fingerprints] = answer;
  if (isGood(letter, question)) {
    const forge = question.trusted.forgeFingerprints ?? [];
    const by = fingerprints.some((key) => forge.includes(key)) ? 'forge' : 'person';
    return { status: 'Verified', by, signer: redact(signer), fingerprint: fingerprints[0] ?? '' };
  }
  if (letter === 'B') return { status: 'Invalid', reason: 'the signature does not fit the commit' };
  return { status: 'Untrusted', reason: untrusted[letter] ?? `git answers ${JSON.stringify(letter)}` };
}

/** U: of a key without a trust level. The keyring holds the configured keys only; an SSH key has to have a principal. */
function isGood(letter: string, question: Question): boolean {
  return letter === 'G' || (letter === 'U' && question.gnupgHome !== undefined);
}

const untrusted: Readonly<Record<string, string>> = {
  U: 'the key belongs to no allowed signer',
  X: 'the signature has expired',
  Y: 'the key has expired',
  R: 'the key is revoked',
  E: 'the key is none of the configured ones',
  N: 'git finds no signature that it can check',
};

async function importKeys(home: string, file: string): Promise<void> {
  try {
    await execFile(
      'gpg',
      ['--batch', '--quiet', '--no-autostart', '--homedir', home, '--import', '--', file],
      {
        timeout: localTimeoutMilliseconds,
        env: { PATH: process.env['PATH'] ?? '', LC_ALL: 'C' },
      },
    );
  } catch (error) {
    throw new AdapterError({
      code: 'KeysUnreadable',
      message: `verify.openPgpKeysFile: ${JSON.stringify(file)} could not be imported (${redact(String(error))})`,
      retryable: true,
    });
  }
}
