import { GitAdapter } from '#adapter-git';
import { HttpGitServer } from '../../integration/git-sync/support/http-git-server.ts';
import {
  temporaryFolder,
  TemporaryRepository,
} from '../../integration/git-sync/support/temporary-repository.ts';
import { describeGitPort, type Files, type GitUnderTest } from './git-contract.ts';

describeGitPort('a folder', () => overFolder('filters'));
describeGitPort('a folder without filters', () => overFolder('no filters'));
describeGitPort('HTTP', async () => {
  const repository = await TemporaryRepository.create();
  const server = new HttpGitServer(repository.folder);
  return underTest(repository, { url: await server.start(), stop: () => server.stop() });
});

async function overFolder(filters: 'filters' | 'no filters'): Promise<GitUnderTest> {
  const repository = await TemporaryRepository.create(filters);
  return underTest(repository, { url: repository.url, stop: () => Promise.resolve() });
}

async function underTest(
  repository: TemporaryRepository,
  server: { readonly url: string; readonly stop: () => Promise<void> },
): Promise<GitUnderTest> {
  return {
    git: await GitAdapter.create({ folder: await temporaryFolder(), now: () => Date.now() }),
    origin: {
      url: server.url,
      commit: (message, files) => repository.commit(message, buffers(files)),
      amend: (message, files) => repository.commit(message, buffers(files), ['--amend']),
      merge: async (message, files) => {
        await repository.git('checkout', '--quiet', '-b', 'beside');
        await repository.commit('Beside', buffers(files));
        await repository.git('checkout', '--quiet', 'main');
        await repository.git('merge', '--quiet', '--no-ff', `--message=${message}`, 'beside');
        return repository.git('rev-parse', 'HEAD');
      },
      point: async (ref, hash) => {
        await repository.git('update-ref', ref, hash);
      },
    },
    end: async () => {
      await server.stop();
      await repository.remove();
    },
  };
}

function buffers(files: Files): Readonly<Record<string, string | Buffer | null>> {
  return Object.fromEntries(
    Object.entries(files).map(([path, content]) => [
      path,
      content instanceof Uint8Array ? Buffer.from(content) : content,
    ]),
  );
}
