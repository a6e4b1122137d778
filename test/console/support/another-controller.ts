import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { eventually } from '../../control-plane/poll.ts';
import { type ControllerProcess, sha256Of, viewerToken } from '../../e2e/support/controller-process.ts';
import { type ShopWorld, startShopWorld } from '../../e2e/support/shop-world.ts';
import { type ForgeServer, startForgeServer } from '../../support/forge-server.ts';
import { findFreePort } from '../../support/free-ports.ts';
import { startOpenidProvider, type TestOpenidProvider } from '../../support/openid-provider.ts';

/** Starting makes a cluster, a repository and a database, on a machine that runs the demo and a browser. */
const startTimeoutMilliseconds = 180_000;

/** A slow machine gives an answer up that takes more than ten seconds, and it is asked for again. */
const syncTimeoutMilliseconds = 60_000;

/** Of two approvers: one with the address that the repository's commits are made with, one without any; and of a viewer. */
const tokens = { author: 'plm_author', stranger: 'plm_stranger', viewer: viewerToken } as const;

/**
 * A controller beside the demo, with what the demo is to be spared: an empty repository whose commits are signed, with a
 * forge, an OpenID provider, and a source that lets approve only who is known.
 */
export interface AnotherController extends Pick<ShopWorld, 'proxy' | 'stop'> {
  readonly url: string;
  readonly provider: TestOpenidProvider;
  readonly tokens: typeof tokens;
  /** Asks its API as its administrator. */
  readonly ask: ControllerProcess['query'];
  /** Commits files to its repository, and has them looked at: they have been judged when this resolves. */
  readonly bring: (
    subject: string,
    files: Readonly<Record<string, string>>,
    pullRequest?: MergedPullRequest,
  ) => Promise<void>;
}

interface Synced {
  readonly syncNow: { readonly __typename: string };
}

/** What the forge says that a commit was merged by. */
interface MergedPullRequest {
  readonly number: number;
  readonly author: string;
  readonly approvers: readonly string[];
}

const forgeRepository = 'shop/policies';
const forgeToken = 'the-token-of-the-forge';

/** Starts it, with everything that it needs. */
export async function startAnotherController(): Promise<AnotherController> {
  const port = await findFreePort();
  const redirectUrl = `http://127.0.0.1:${port}/auth/callback`;
  const [shop, provider, forge] = await Promise.all([
    startShopWorld(),
    startOpenidProvider(() => redirectUrl),
    startForgeServer({ header: 'authorization', value: () => `Bearer ${forgeToken}` }),
  ]);
  const { proxy, repository } = shop;
  const stop = async (): Promise<void> => {
    await shop.stop();
    await Promise.all([provider.stop(), forge.stop()]);
  };
  try {
    const clientSecretFile = join(shop.folder, 'client-secret');
    await writeFile(clientSecretFile, 'a-secret-of-the-client\n');
    const sources = [await signedSource(shop, forge)];
    const oidc = {
      issuer: provider.issuer,
      clientId: 'plimsoll',
      clientSecretFile,
      redirectUrl,
      grants: [{ group: 'sre', role: 'operator', namespaces: ['*'] }],
    };
    const approvers = [
      { name: 'author', sha256: sha256Of(tokens.author), role: 'approver', email: 'alex@example.com' },
      { name: 'stranger', sha256: sha256Of(tokens.stranger), role: 'approver' },
    ];
    const changes = { listen: { port }, auth: { oidc, tokens: approvers }, sources };
    const { url, query } = await shop.startController(changes, {
      timeoutMilliseconds: startTimeoutMilliseconds,
    });
    const bring: AnotherController['bring'] = async (subject, files, pullRequest) => {
      const commit = repository.commit(subject, files);
      if (pullRequest !== undefined) answerWith(forge, commit, pullRequest);
      await eventually({
        description: 'the commit is looked at',
        probe: async () => {
          const { syncNow } = await query<Synced>('mutation { syncNow(source: "policies") { __typename } }');
          return syncNow.__typename === 'SyncResult' || undefined;
        },
        timeoutMilliseconds: syncTimeoutMilliseconds,
      });
    };
    return { url, provider, proxy, stop, tokens, ask: query, bring };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The world's source, whose commits are signed from the first on, by the address that they are made with. */
async function signedSource({ folder, repository }: ShopWorld, forge: ForgeServer): Promise<object> {
  const [key, signers, tokenFile] = ['key', 'signers', 'forge-token'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'alex', '-f', key]);
  await writeFile(signers, `alex@example.com ${await readFile(`${key}.pub`, 'utf8')}`);
  await writeFile(tokenFile, `${forgeToken}\n`);
  const settings = { 'gpg.format': 'ssh', 'user.signingKey': key, 'commit.gpgSign': 'true' };
  for (const [name, value] of Object.entries(settings))
    execFileSync('git', ['-C', fileURLToPath(repository.url), 'config', name, value]);
  repository.rewrite('Begin', {});
  return {
    name: 'policies',
    url: repository.url,
    interval: '1s',
    verify: { sshAllowedSignersFile: signers },
    forge: { provider: 'github', apiUrl: forge.url, repository: forgeRepository, tokenFile, status: false },
  };
}

/** As GitHub's API has a pull request that was merged as the commit. */
function answerWith(
  forge: ForgeServer,
  commit: string,
  { number, author, approvers }: MergedPullRequest,
): void {
  const mergedAt = new Date().toISOString();
  const pull = {
    number,
    merged_at: mergedAt,
    merge_commit_sha: commit,
    user: { login: author },
    base: { ref: 'main' },
  };
  const reviews = approvers.map((login) => ({ user: { login }, state: 'APPROVED', submitted_at: mergedAt }));
  forge.answer(`GET /repos/${forgeRepository}/commits/${commit}/pulls`, { body: [pull] });
  forge.answer(`GET /repos/${forgeRepository}/pulls/${number}/reviews`, { body: reviews });
}
