import { expect, it } from '@jest/globals';
import { policyText } from '../../e2e/support/shop-world.ts';
import type { AConsole } from '../support/a-console.ts';
import type { AnotherController } from '../support/another-controller.ts';

/** More than a commit may change without an approval. */
const names = Array.from({ length: 12 }, (_, index) => `extra-${index + 1}`);

/** Who may not approve what is held, and why. */
export function approvalTasks(world: () => AConsole): void {
  let brought: Promise<AnotherController> | undefined;
  const withHold = (): Promise<AnotherController> => (brought ??= bringHold());
  const bringHold = async (): Promise<AnotherController> => {
    const another = await world().another();
    await another.bring('Have the checkout policy', { 'shop/checkout.yaml': policyText });
    const files = names.map((name) => [`shop/${name}.yaml`, policyText.replaceAll('checkout', name)]);
    await another.bring('Add a dozen policies, and have one checkout', {
      ...(Object.fromEntries(files) as Record<string, string>),
      'shop/checkout.yaml': policyText
        .replace('minReplicas: 2', 'minReplicas: 1')
        .replace(/maxReplicas: .*/, 'maxReplicas: 1'),
    });
    return another;
  };

  it.each([
    {
      caller: 'author',
      why: 'alex@example.com is an author, committer or signer of what is to be approved.',
      who: 'Another approver may: one who neither wrote, committed, signed nor asked for it.',
    },
    {
      caller: 'stranger',
      why: 'stranger has no address that could be compared with those of the commits: email of its token in auth.tokens gives it one, and unknownApprovers: Allowed of the source does without.',
      who: 'An approver may who is known not to have written it, once it is known who did.',
    },
    {
      caller: 'viewer',
      why: /^viewer does not have role approver in /,
      who: 'An approver of all these namespaces may reject it, and approve it who took no part in it.',
    },
  ] as const)('says to the $caller why it may not approve, and who may', async ({ caller, why, who }) => {
    const { url, tokens } = await withHold();
    const page = await world().open('/sources/policies', { at: { url, token: tokens[caller] } });
    const hold = page.getByRole('region', { name: 'Waits for an approval' });
    await hold.getByText('4 → 1 replicas at once, in 1 policy').waitFor();
    const checkout = hold.locator('.policy-effects > li').filter({ hasText: 'shop/checkout' });
    await checkout.getByText('bounds 2–12 → 1–1').waitFor();
    await hold
      .getByText(`You may ${caller === 'viewer' ? 'neither approve nor reject' : 'not approve'} it`)
      .waitFor();
    await hold.getByText(why).waitFor();
    await hold.getByText(who).waitFor();
    const isForbidden = async (name: string): Promise<string | null> =>
      hold.getByRole('button', { name }).getAttribute('data-forbidden');
    expect([await isForbidden('Approve'), await isForbidden('Reject')]).toEqual([
      'true',
      String(caller === 'viewer'),
    ]);
    await world().show(page, `source-may-not-${caller}`);
    await hold.getByRole('button', { name: 'Approve' }).click();
    const dialog = page.getByRole('dialog', { name: 'Approve' });
    await dialog.getByText('You may not do this').waitFor();
    await dialog
      .getByText(who)
      .or(dialog.getByText('It wants the role approver in', { exact: false }))
      .first()
      .waitFor();
    expect(await dialog.getByLabel('Reason').count()).toBe(0);
  });

  it('what is held is rejected with a reason, which stays on record, and may be approved by another only', async () => {
    const { url, tokens, ask } = await withHold();
    const page = await world().open('/sources/policies', { at: { url, token: tokens.author } });
    const hold = page.getByRole('region', { name: 'Waits for an approval' });
    await hold.getByRole('button', { name: 'Reject' }).click();
    const dialog = page.getByRole('dialog', { name: 'Reject' });
    const send = dialog.locator('[type="submit"]');
    await dialog.getByText(/stays out of force; what is in force stays$/).waitFor();
    expect(await send.isDisabled()).toBe(true);
    await dialog.getByLabel('Reason').fill('checkout must keep two');
    await world().show(page, 'source-reject');
    const confirmation = dialog.getByRole('checkbox');
    if (await confirmation.isVisible()) await confirmation.check();
    await send.click();
    await dialog.waitFor({ state: 'detached' });
    const rejected = page.getByRole('region', { name: 'Rejected' });
    await rejected.getByText('rejected', { exact: true }).waitFor();
    await rejected.getByText('by author: checkout must keep two').waitFor();
    await rejected.getByRole('heading', { name: 'Why it was held' }).waitFor();
    expect(await hold.count()).toBe(0);
    // The button that it was opened from is gone.
    await page.locator('main:focus').waitFor();
    expect(await rejected.getByRole('button', { name: 'Reject' }).count()).toBe(0);
    await world().show(page, 'source-hold-rejected');
    await page.goto(`${url}/audit?kind=OperatorAction`);
    await page.getByText(/^author asked for a rejection · accepted .*checkout must keep two$/).waitFor();
    const { policy } = await ask<{ readonly policy: { readonly maxReplicas: number } }>(
      '{ policy(namespace: "shop", name: "checkout") { maxReplicas } }',
    );
    expect(policy.maxReplicas).toBe(12);
  });
}
