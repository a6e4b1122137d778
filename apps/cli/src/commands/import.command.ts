import type { Command } from 'commander';
import type { ImportArguments } from '../manifests/import-policies.ts';
import { runCommand } from '../run-command.ts';

const help = `
Writes the HorizontalPodAutoscalers and WatermarkPodAutoscalers of a cluster as policies,
one file each: NAMESPACE/NAME.yaml, in the order of their names. Their kind stays, since
Plimsoll takes both as they are ("plimsoll convert" makes native ones); status and what a
server writes into metadata are dropped. A file that says the same already is left alone, so
a second run changes nothing. The cluster is only read.

What cannot be taken is reported on standard error: an object that another one owns or that
Plimsoll renders, one that is being deleted, an invalid one, a second one for a target or a
name, a file that says something else, a kind that your role may not list. What a tool writes
(Helm, Argo CD, Flux, ...) is taken; a note and a comment in its file name the tool.

Plimsoll leaves an HPA that it has not made alone: annotate its policy with
plimsoll.dev/adopt: IfEqual to hand it over. Stop the Watermark Pod Autoscaler before
policies that it carries out come into force.

KEDA's ScaledObjects are left to KEDA: docs/keda.md says how to come from them.

Examples:
  plimsoll import --kubeconfig ~/.kube/config --all-namespaces --output policies
  plimsoll import --kubeconfig ci.kubeconfig --context prod --namespace shop billing

Exit status:
  0  everything was taken
  1  something was not taken
  2  could not run: no such file or context, nothing may be listed, or the cluster does not
     answer`;

/** Adds `plimsoll import`. */
export function registerImportCommand(program: Command): void {
  program
    .command('import')
    .description("Write policies from a cluster's live autoscalers, ready to commit.")
    .requiredOption('--kubeconfig <file>', 'the kubeconfig of the cluster')
    .option('--context <name>', 'which context of it (default: the current one)')
    .option('--namespace <name...>', "these namespaces (default: the context's)")
    .option('--all-namespaces', 'every namespace')
    .option('--output <folder>', 'write files there (default: print all as one stream)')
    .option('--force', 'overwrite files that exist')
    .addHelpText('after', help)
    .action((options: ImportArguments) =>
      runCommand(async (terminal) => {
        const { importPolicies } = await import('../manifests/import-policies.ts');
        return importPolicies(options, terminal);
      }),
    );
}
