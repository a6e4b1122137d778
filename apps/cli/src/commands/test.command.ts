import { type Command, Option } from 'commander';
import type { TestArguments } from '../policy-test/test-paths.ts';
import { runCommand } from '../run-command.ts';
import { addSourceOptions } from './validate.command.ts';

const help = `
A PolicyTest names a policy of the same tree, observations, and what must be decided on
them:

  apiVersion: plimsoll.dev/v1alpha1
  kind: PolicyTest
  metadata: {name: checkout-grows}
  spec:
    policy: {namespace: shop, name: checkout}
    cases:
      - name: doubles at most
        observation:
          time: "2026-11-20T12:00:00Z"
          scale: {specReplicas: 4, statusReplicas: 4, selector: app=checkout}
          metrics: [{values: [9]}]
        expect: {desiredReplicas: 8, action: ScaleUp, steps: [{rule: rate-policies, after: 8}]}

Only what "expect" names is compared; of a list, its items in their order. Policies are
taken with the defaults that act on them, as a source would read them. PATH selects the
tests, not the policies. No server is needed.

Examples:
  plimsoll test
  plimsoll test policies/shop --format json

Exit status:
  0  every case passed (or there is none)
  1  some case failed, or a test could not be read or names no valid policy
  2  could not run: unusable arguments, or a path that does not exist or cannot be read`;

/** Adds `plimsoll test`. */
export function registerTestCommand(program: Command): void {
  addSourceOptions(program.command('test'))
    .description('Run the PolicyTest documents of a repository: observations, and the decisions expected.')
    .argument('[path...]', 'files or folders with tests (default: the current folder)')
    .addOption(new Option('--format <format>', 'how to print').choices(['human', 'json']).default('human'))
    .addHelpText('after', help)
    .action((paths: string[], options: TestArguments) =>
      runCommand(async (terminal) => {
        const { test } = await import('../policy-test/test-paths.ts');
        return test(paths, options, terminal);
      }),
    );
}
