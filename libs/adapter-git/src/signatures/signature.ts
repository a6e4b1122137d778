import { resolve } from 'node:path';
import type { SignatureStatus, TrustedSigners } from '#git-sync';
import { mustRead } from '../credentials/credentials.ts';
import { checkedHash } from '../objects/git-ref.ts';
import type { GitRunner } from '../run/git-runner.ts';
import { redact } from '../run/redact.ts';
import { withKeyring } from './openpgp-keyring.ts';
import { loadSignatureTexts } from './signature-text.ts';
import { loadPrincipals } from './ssh-principals.ts';

/** Where signatures are looked at. */
export interface SignatureContext {
  readonly runner: GitRunner;
  readonly folder: string;
}

/** One answer of git: status letter, signer, fingerprint of the key and of its primary key. */
const format = ['%G?', '%GS', '%GF', '%GP'].join('%x00');

/**
 * Checks a commit's signature with git's own verification, against the configured signers alone, as of now.
 *
 * @throws AdapterError where a configured file cannot be read.
 */
export async function loadSignature(
  context: SignatureContext,
  hash: string,
  trusted: TrustedSigners,
): Promise<SignatureStatus> {
  const [signature, ...others] = await loadSignatureTexts(context.runner, hash);
  if (signature === undefined) return { status: 'Unsigned' };
  if (others.length > 0) return { status: 'Invalid', reason: 'the commit has more than one signature' };
  switch (signature.kind) {
    case 'ssh':
      return sshSignature({ ...context, text: signature.text }, hash, trusted);
    case 'openpgp':
      return openPgpSignature(context, hash, trusted);
    case 'other':
      return { status: 'Untrusted', reason: 'the signature is neither of SSH nor of OpenPGP' };
  }
}

async function sshSignature(
  { runner, text }: SignatureContext & { readonly text: string },
  hash: string,
  trusted: TrustedSigners,
): Promise<SignatureStatus> {
  const configured = trusted.sshAllowedSignersFile;
  if (configured === undefined) return { status: 'Untrusted', reason: 'no SSH signers are configured' };
  await mustRead(configured, 'verify.sshAllowedSignersFile');
  // Git runs in its repository's folder, where a relative path would name another file.
  const file = resolve(configured);
  const status = await ask(runner, {
    hash,
    trusted,
    settings: [...only('ssh'), `gpg.ssh.allowedSignersFile=${file}`],
  });
  if (status.status !== 'Verified') return status;
  const names = await loadPrincipals(file, text);
  if (names.length === 0) return { status: 'Untrusted', reason: 'the key is not valid now' };
  return { ...status, otherNames: othersOf(names, status.signer) };
}

async function openPgpSignature(
  { runner }: SignatureContext,
  hash: string,
  trusted: TrustedSigners,
): Promise<SignatureStatus> {
  const file = trusted.openPgpKeysFile;
  if (file === undefined) return { status: 'Untrusted', reason: 'no OpenPGP keys are configured' };
  await mustRead(file, 'verify.openPgpKeysFile');
  return withKeyring(file, async ({ home, loadUserIds }) => {
    const status = await ask(runner, { hash, trusted, settings: only('openpgp'), gnupgHome: home });
    if (status.status !== 'Verified') return status;
    const names = (await loadUserIds(status.fingerprint)).map(redact);
    return { ...status, otherNames: othersOf(names, status.signer) };
  });
}

/**
 * Git chooses the program by what the signature says it is. Whoever makes a certificate has a good one of X.509, and of no
 * known signer: the letter that an OpenPGP key of the keyring has.
 */
function only(kind: 'ssh' | 'openpgp'): readonly string[] {
  const programs = { openpgp: ['gpg.program', 'gpg.openpgp.program'], ssh: ['gpg.ssh.program'] };
  const others = kind === 'ssh' ? programs.openpgp : programs.ssh;
  return [...others, 'gpg.x509.program'].map((program) => `${program}=false`);
}

function othersOf(names: readonly string[], signer: string): readonly string[] {
  return names.filter((name) => name !== signer);
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
