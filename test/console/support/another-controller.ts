import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findFreePorts } from '../../control-plane/free-ports.ts';
import { type ControllerProcess, sha256Of, viewerToken } from '../../e2e/support/controller-process.ts';
import { type ShopWorld, startShopWorld } from '../../e2e/support/shop-world.ts';
import { startOpenidProvider, type TestOpenidProvider } from '../../support/openid-provider.ts';

/** Starting makes a cluster, a repository and a database, on a machine that runs the demo and a browser. */
const startTimeoutMilliseconds = 180_000;

/** Of two approvers: one with the address that the repository's commits are made with, one without any; and of a viewer. */
const tokens = { author: 'plm_author', stranger: 'plm_stranger', viewer: viewerToken } as const;

/**
 * A controller beside the demo, with what the demo is to be spared: an empty repository, an OpenID provider, and a source
 * that lets approve only who is known.
 */
export interface AnotherController extends Pick<ShopWorld, 'proxy' | 'stop'> {
  readonly url: string;
  readonly provider: TestOpenidProvider;
  readonly tokens: typeof tokens;
  /** Asks its API as its administrator. */
  readonly ask: ControllerProcess['query'];
  /** Commits files to its repository, and has them looked at: they have been judged when this resolves. */
  readonly bring: (subject: string, files: Readonly<Record<string, string>>) => Promise<void>;
}

/** Starts it, with everything that it needs. */
export async function startAnotherController(): Promise<AnotherController> {
  const [port = 0] = await findFreePorts(1);
  const redirectUrl = `http://127.0.0.1:${port}/auth/callback`;
  const [shop, provider] = await Promise.all([startShopWorld(), startOpenidProvider(() => redirectUrl)]);
  const { proxy, repository } = shop;
  const stop = async (): Promise<void> => {
    await shop.stop();
    await provider.stop();
  };
  try {
    const clientSecretFile = join(shop.folder, 'client-secret');
    await writeFile(clientSecretFile, 'a-secret-of-the-client\n');
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
    const changes = { listen: { port }, auth: { oidc, tokens: approvers } };
    const { url, query } = await shop.startController(changes, {
      timeoutMilliseconds: startTimeoutMilliseconds,
    });
    const bring: AnotherController['bring'] = async (subject, files) => {
      repository.commit(subject, files);
      await query('mutation { syncNow(source: "policies") { __typename } }');
    };
    return { url, provider, proxy, stop, tokens, ask: query, bring };
  } catch (error) {
    await stop();
    throw error;
  }
}
