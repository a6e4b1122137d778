import { join } from 'node:path';
import { GitAdapter } from '#adapter-git';
import type { Configuration } from '#configuration';
import { withoutUndefined } from '#kernel';
import type { ClockPort } from '#reconciliation';
import type { CheckpointSink } from './checkpoint-sink.ts';
import { FileSink } from './file-sink.ts';
import { GitSink } from './git-sink.ts';
import { HttpSink } from './http-sink.ts';

/** The sinks that the configuration names. */
export function createSinks(
  { checkpoints, dataFolder }: Pick<Configuration, 'checkpoints' | 'dataFolder'>,
  clock: Pick<ClockPort, 'now'>,
): readonly CheckpointSink[] {
  const { outputFile, http, git } = checkpoints;
  return [
    ...(outputFile === undefined ? [] : [new FileSink(outputFile)]),
    ...(http === undefined ? [] : [new HttpSink(http, () => clock.now())]),
    ...(git === undefined ? [] : [createGitSink(git, join(dataFolder, 'checkpoints-git'))]),
  ];
}

/** With a Git of its own, which is used until the last checkpoint is pushed. */
function createGitSink(
  { url, ref, credentials }: NonNullable<Configuration['checkpoints']['git']>,
  folder: string,
): GitSink {
  return new GitSink(async () => {
    const adapter = await GitAdapter.create({ folder, now: () => Date.now() });
    const given = credentials === undefined ? {} : { credentials: withoutUndefined(credentials) };
    return adapter.openNoteLog({ source: 'checkpoints', url, ref, ...given });
  });
}
