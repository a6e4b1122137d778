import { type Command, Option } from 'commander';
import type { RbacArguments } from '../rbac/print-rbac.ts';
import { runCommand } from '../run-command.ts';
import { collect } from './validate.command.ts';

const help = `
Prints what the controller's ServiceAccount needs, and nothing beyond it: a Role and a
RoleBinding for each of the configuration's namespaces, or a ClusterRole and its binding for
["*"]. No server is needed. With mode: Observe no verb writes.

What policies need is read from checkouts of the sources' repositories; the options add to it.
Without a checkout it is what the options name: where they name nothing, Deployments and
StatefulSets, actuation Scale, resource metrics, selection by owners.

Examples:
  plimsoll rbac --config plimsoll.yaml policies | kubectl apply -f -
  plimsoll rbac --config plimsoll.yaml shop=../shop-policies billing=../billing-policies
  plimsoll rbac --config plimsoll.yaml --actuation HorizontalPodAutoscaler
  plimsoll rbac --config plimsoll.yaml --target argoproj.io/v1alpha1/Rollout --metric External

Exit status:
  0  printed
  1  printed, but a policy is invalid and not counted
  2  could not run: unusable arguments, or a file that cannot be read`;

/** Adds `plimsoll rbac`. */
export function registerRbacCommand(program: Command): void {
  program
    .command('rbac')
    .description('Print the Roles that the controller needs.')
    .argument('[checkout...]', "FOLDER of the source's repository; of several sources SOURCE=FOLDER")
    .requiredOption('--config <file>', "the controller's configuration")
    .option('--target <kind>', 'a kind that is scaled, as apps/v1/Deployment (may be repeated)', collect)
    .addOption(
      new Option('--actuation <actuation...>', 'how it is scaled').choices([
        'Scale',
        'HorizontalPodAutoscaler',
      ]),
    )
    .addOption(
      new Option('--metric <type...>', 'types of metrics').choices([
        'Resource',
        'ContainerResource',
        'Pods',
        'Object',
        'External',
        'Prometheus',
      ]),
    )
    .option('--owner <kind>', "a kind of pods' owners that is not Kubernetes' own (may be repeated)", collect)
    .option('--blocked-by <kind>', 'a kind that lifecycle.blockedBy names (may be repeated)', collect)
    .option('--plural <name>', 'Kind.group=plural, where it is not regular (may be repeated)', collect)
    .option(
      '--enforces-owner-references',
      'the API server runs the admission plugin OwnerReferencesPermissionEnforcement',
    )
    .option('--name <name>', 'of the Roles and their bindings', 'plimsoll')
    .option('--service-account <name>', 'whom they are given to', 'plimsoll')
    .option('--service-account-namespace <name>', 'its namespace', 'plimsoll')
    .addHelpText('after', help)
    .action((checkouts: string[], options: RbacArguments) =>
      runCommand(async (terminal) => {
        const { printRbac } = await import('../rbac/print-rbac.ts');
        return printRbac(checkouts, options, terminal);
      }),
    );
}
