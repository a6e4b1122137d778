import { FakeGit } from '#git-sync/testing';
import { describeGitPort, type GitUnderTest } from './git-contract.ts';

const main = 'refs/heads/main';

describeGitPort('in memory', () => {
  const git = new FakeGit();
  const url = 'file:///policies';
  const fake = git.remote(url);
  const given: GitUnderTest = {
    git,
    origin: {
      url,
      commit: (message, files) => Promise.resolve(fake.commit(message, files)),
      amend: (message, files) => {
        const parents = fake.commitOf(fake.head(main))?.parents ?? [];
        return Promise.resolve(fake.commit(message, files, { parents }));
      },
      merge: (message, files) => {
        const head = fake.head(main);
        const beside = fake.commit('Beside', files, { ref: 'refs/heads/beside', parents: [head] });
        return Promise.resolve(fake.commit(message, files, { parents: [head, beside] }));
      },
      point: (ref, hash) => {
        fake.point(ref, hash);
        return Promise.resolve();
      },
    },
    end: () => Promise.resolve(),
  };
  return Promise.resolve(given);
});
