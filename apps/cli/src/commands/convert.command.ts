import { type Command, Option } from 'commander';
import type { ConvertArguments } from '../manifests/convert-files.ts';
import { runCommand } from '../run-command.ts';

const help = `
Rewrites HorizontalPodAutoscalers (v1, v2beta1, v2beta2, v2) and WatermarkPodAutoscalers,
those in a List too. Other documents of the file stay byte for byte, comments stay with
their fields, and status and what a server writes into metadata are left out.

What is written is read again and compared with what was there. Every effective value that
the new form cannot carry is a warning (NotCarried) with file, line and column, on
standard error. Mind that PolicyDefaults fill what an AutoscalingPolicy leaves out.

Without FILE, or with "-", standard input is read.

Examples:
  plimsoll convert hpa.yaml > policy.yaml
  plimsoll convert --write policies/shop/*.yaml
  kubectl get hpa web -n shop -o yaml | plimsoll convert
  plimsoll convert --to autoscaling/v2 --write old/*.yaml

Exit status:
  0  converted (or nothing to convert); warnings do not count
  1  some policy is invalid, one that is an AutoscalingPolicy already too: its file is
     neither printed nor written; or what was given is empty
  2  could not run: a file cannot be read or written`;

/** Adds `plimsoll convert`. */
export function registerConvertCommand(program: Command): void {
  program
    .command('convert')
    .description('Rewrite autoscalers as AutoscalingPolicies, or in autoscaling/v2.')
    .argument('[file...]', 'YAML files (default: standard input)')
    .addOption(
      new Option('--to <form>', 'what to write')
        .choices(['AutoscalingPolicy', 'autoscaling/v2'])
        .default('AutoscalingPolicy'),
    )
    .option('--write', 'rewrite the files instead of printing')
    .addHelpText('after', help)
    .action((files: string[], options: ConvertArguments) =>
      runCommand(async (terminal) => {
        const { convertFiles } = await import('../manifests/convert-files.ts');
        return convertFiles(files, options, terminal);
      }),
    );
}
