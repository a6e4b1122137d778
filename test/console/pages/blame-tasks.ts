import { expect, it } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { policyText } from '../../e2e/support/shop-world.ts';
import { soon } from '../../e2e/support/soon.ts';
import type { AConsole } from '../support/a-console.ts';
import { answerChanged } from '../support/answer-changed.ts';
import { askDemo, bringToDemo, commitInForce, demoFile } from '../support/demo-requests.ts';

const repository = 'https://github.com/shop/policies';

/** Questions whose answers have the address of a repository. */
const namesRepository = new Set(['SourceAddresses', 'SourcePage', 'RevisionPage']);

/** Who allowed what is in force. */
export function blameTasks(world: () => AConsole): void {
  it('names the pull request, who approved it as the forge says, and whose signature the commit has', async () => {
    const { url, tokens, bring } = await world().another();
    await bring(
      'Let checkout grow (#412)',
      { 'shop/checkout.yaml': policyText.replace('maxReplicas: 12', 'maxReplicas: 14') },
      { number: 412, author: 'mona', approvers: ['hubot', 'octavia'] },
    );
    const page = await world().open('/policies/shop/checkout', { at: { url, token: tokens.viewer } });
    const blame = page.getByRole('region', { name: 'Who allowed it' });
    await blame.getByText('Let checkout grow (#412)').waitFor();
    await blame.getByText('#412 by mona').waitFor();
    await blame.getByText('hubot, octavia').waitFor();
    await blame.getByText('Verified by alex@example.com').waitFor();
    expect(await blame.getByText('the forge has not confirmed it', { exact: false }).count()).toBe(0);
    await world().show(page, 'policy-blame', blame);
    await bring('Let checkout be as it was', { 'shop/checkout.yaml': policyText });
  });

  it('names the operator without whom the version would not be in force: who rolled back, and why', async () => {
    const { demo } = world();
    const file = 'media/transcoder.yaml';
    const text = demoFile(demo, file);
    const before = await commitInForce(demo);
    await bringToDemo(demo, 'Let the transcoder shrink', {
      [file]: text.replace(/maxReplicas: .*/, 'maxReplicas: 19'),
    });
    const orRefusal = '{ __typename ... on ActionRefusal { code message } }';
    await askDemo(
      demo,
      `mutation { rollBackSource(source: "policies", commit: "${before}", reason: "it is slow") ${orRefusal} }`,
    );
    await soon('a decision by what was rolled back to', async () => {
      const { policy } = await askDemo<{
        readonly policy: {
          readonly latestDecision: { readonly blame: { readonly allowedBy: readonly object[] } };
        };
      }>(
        demo,
        '{ policy(namespace: "media", name: "transcoder") { latestDecision { blame { allowedBy { by } } } } }',
      );
      return policy.latestDecision.blame.allowedBy.length > 0 || undefined;
    });
    const page = await world().open('/policies/media/transcoder');
    const blame = page.getByRole('region', { name: 'Who allowed it' });
    await blame.getByText(/^demo rolled back: it is slow/).waitFor();
    await world().show(page, 'policy-blame-rolled-back', blame);
    await askDemo(demo, `mutation { resumeSource(source: "policies", reason: "it is mended") ${orRefusal} }`);
    await bringToDemo(demo, 'Let the transcoder be as it was before', { [file]: text });
  });

  it('says of what only the commit message says that nobody has confirmed it', async () => {
    const { demo } = world();
    const file = 'media/transcoder.yaml';
    const text = demoFile(demo, file);
    await bringToDemo(demo, 'Let the transcoder grow (#7)\n\nReviewed-by: Ada Example <ada@example.com>', {
      [file]: text.replace(/maxReplicas: .*/, 'maxReplicas: 17'),
    });
    const page = await world().open('/audit');
    await page.getByRole('heading', { name: 'Audit' }).waitFor();
    // As a source at a forge: the demo's is a folder.
    await page.route('**/graphql', async (route) => {
      const { operationName = '' } = route.request().postDataJSON() as { readonly operationName?: string };
      if (!namesRepository.has(operationName)) return route.continue();
      const response = await route.fetch();
      const body = (await response.text()).replaceAll(/"url":"[^"]*"/g, `"url":"${repository}.git"`);
      return route.fulfill({ response, body });
    });
    await page.goto(`${demo.url}/policies/media/transcoder`);
    const blame = page.getByRole('region', { name: 'Who allowed it' });
    await blame.getByText(/^#7\s+\(as the commit message says; the forge has not confirmed it\)$/).waitFor();
    await blame.getByText('Ada Example <ada@example.com>').waitFor();
    const addressIn = (part: Locator): Promise<string | null> =>
      part.getByRole('link', { name: '#7' }).first().getAttribute('href');
    expect(await addressIn(blame)).toBe(`${repository}/pull/7`);
    await blame.getByText('the source verifies none').waitFor();
    const merged = { hasText: 'Let the transcoder grow' };
    const version = page.getByRole('region', { name: 'Versions' }).getByRole('listitem').filter(merged);
    expect(await addressIn(version)).toBe(`${repository}/pull/7`);
    await page.goto(`${demo.url}/sources/policies`);
    const revision = page.locator('.revision-row').filter(merged);
    expect(await addressIn(revision)).toBe(`${repository}/pull/7`);
    await revision.getByRole('link').first().click();
    await page.getByRole('heading', { name: 'Let the transcoder grow' }).waitFor();
    expect(await addressIn(page.getByRole('main'))).toBe(`${repository}/pull/7`);
    await bringToDemo(demo, 'Let the transcoder be as it was', { [file]: text });
  });

  it('says of a version that has left how, by whose commit or action, and who let that happen', async () => {
    const page = await world().open('/audit');
    await page.getByRole('heading', { name: 'Audit' }).waitFor();
    const approval = { action: 'ApproveHold', by: 'ada', reason: 'off-season', time: '2026-11-20T12:59:00Z' };
    await answerChanged(page, 'PolicyHistory', ({ policy }) => {
      const { versions, ...rest } = policy as { readonly versions: { readonly edges: readonly Edge[] } };
      const edges = versions.edges.slice(0, 1).flatMap(({ node }) => {
        const left = { ...node, validTo: '2026-11-20T13:00:00Z', removalAllowedBy: [approval] };
        const { commit } = node.origin;
        return [
          { ...left, departure: 'Pruned', removedBy: { ...commit, subject: 'No more' } },
          { ...left, departure: 'RolledBack', removedByOperator: { by: 'olga', reason: 'it is slow' } },
        ].map((changed, index) => ({ node: { ...changed, validFrom: `2026-11-20T0${index}:00:00Z` } }));
      });
      return { policy: { ...rest, versions: { ...versions, edges } } };
    });
    await page.goto(`${world().demo.url}/policies/media/transcoder`);
    const versions = page.getByRole('region', { name: 'Versions' }).locator('.version');
    const [pruned, rolledBack] = [versions.nth(0), versions.nth(1)];
    await pruned.getByText(/^left .* its document was deleted [0-9a-f]{7} No more /).waitFor();
    await pruned.getByText(/^ada approved what was held: off-season/).waitFor();
    await rolledBack.getByText(/^left .* a rollback to before it by olga: it is slow$/).waitFor();
    await rolledBack.getByText(/^ada approved what was held: off-season/).waitFor();
  });
}

interface Edge {
  readonly node: { readonly origin: { readonly commit: object } };
}
