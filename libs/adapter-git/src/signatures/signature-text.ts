import { checkedHash } from '../objects/git-ref.ts';
import { maximumCommitBytes } from '../run/git-limits.ts';
import type { GitRunner } from '../run/git-runner.ts';

/** A commit's signature as the commit has it. */
export interface SignatureText {
  /** `other`: X.509, or none that is known. */
  readonly kind: 'ssh' | 'openpgp' | 'other';
  /** Armoured. */
  readonly text: string;
}

/** First lines of what is checked; git takes these for the same. */
const armour: Readonly<Record<'ssh' | 'openpgp', readonly string[]>> = {
  ssh: ['-----BEGIN SSH SIGNATURE-----'],
  openpgp: ['-----BEGIN PGP SIGNATURE-----', '-----BEGIN PGP MESSAGE-----'],
};

/**
 * The signatures of a commit: none, or one; git joins several to one text, of which only the first might count.
 *
 * @throws AdapterError where the commit is not on disk
 */
export async function loadSignatureTexts(runner: GitRunner, hash: string): Promise<readonly SignatureText[]> {
  const text = await runner.text({
    what: `read commit ${hash}`,
    args: ['cat-file', 'commit', checkedHash(hash)],
    maximumOutputBytes: maximumCommitBytes,
  });
  return parseSignatures(text, hash.length === 64 ? 'gpgsig-sha256' : 'gpgsig');
}

/** A header goes on in the lines that begin with a space. */
function parseSignatures(commit: string, header: string): readonly SignatureText[] {
  const found: string[][] = [];
  let lines: string[] | undefined;
  for (const line of commit.slice(0, Math.max(commit.indexOf('\n\n'), 0)).split('\n')) {
    if (line.startsWith(' ')) {
      lines?.push(line.slice(1));
      continue;
    }
    lines = line.startsWith(`${header} `) ? [line.slice(header.length + 1)] : undefined;
    if (lines !== undefined) found.push(lines);
  }
  return found.map((signature) => ({ kind: kindOf(signature[0] ?? ''), text: `${signature.join('\n')}\n` }));
}

function kindOf(firstLine: string): SignatureText['kind'] {
  if (armour.ssh.includes(firstLine)) return 'ssh';
  return armour.openpgp.includes(firstLine) ? 'openpgp' : 'other';
}
