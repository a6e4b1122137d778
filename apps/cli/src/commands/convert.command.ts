import { Option, type Command } from 'commander';
import type { ConvertArguments } from '../convert/convert-command.ts';

const help = `
Rewrites HorizontalPodAutoscalers (any version) and WatermarkPodAutoscalers; other documents
stay as they are, and so do comments where their field stays. What could not be carried is
printed to standard error.

Examples:
  plimsoll convert hpa.yaml > policy.yaml
  plimsoll convert --write --to autoscaling/v2 old/*.yaml

Exit status:
  0  converted (or nothing to convert)
  1  a document is invalid, and its file was left as it is
  2  could not run: a file cannot be read`;

/** Adds `plimsoll convert`. */
export function registerConvertCommand(program: Command): void {
  program
    .command('convert')
    .description('Rewrite autoscalers in the native form, or in autoscaling/v2.')
    .argument('<file...>', 'YAML files')
    .addOption(
      new Option('--to <form>', 'what to write')
        .choices(['AutoscalingPolicy', 'autoscaling/v2'])
        .default('AutoscalingPolicy'),
    )
    .option('--write', 'rewrite the files instead of printing')
    .addHelpText('after', help)
    .action(async (files: string[], options: ConvertArguments) => {
      const { runConvert } = await import('../convert/convert-command.ts');
      runConvert(files, options);
    });
}
