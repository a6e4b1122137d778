import type { GitPort, GitRepositoryPort } from '#git-sync';

/** Told when a source begins to judge the commit that it has just fetched. */
export type JudgingListener = (source: string, commit: string) => void;

/** Git as it is, and whoever wants to know which commit is being judged. */
export function observeGit(git: GitPort, onJudging: JudgingListener): GitPort {
  return {
    open: async (location) => {
      const repository = await git.open(location);
      return observed(repository, (commit) => onJudging(location.source, commit));
    },
  };
}

/** The fetched commit is read first when it is judged, and not at all when nothing is new. */
function observed(repository: GitRepositoryPort, onJudging: (commit: string) => void): GitRepositoryPort {
  let fetched: string | undefined;
  return {
    fetchHead: async (limits) => {
      fetched = await repository.fetchHead(limits);
      return fetched;
    },
    loadCommit: (hash) => {
      if (hash === fetched) {
        fetched = undefined;
        onJudging(hash);
      }
      return repository.loadCommit(hash);
    },
    hasCommit: (hash) => repository.hasCommit(hash),
    loadAncestry: (ancestor, descendant) => repository.loadAncestry(ancestor, descendant),
    loadRange: (range, limit) => repository.loadRange(range, limit),
    loadTree: (hash, limit) => repository.loadTree(hash, limit),
    loadBlobs: (ids, limits) => repository.loadBlobs(ids, limits),
    loadSignature: (hash, trusted) => repository.loadSignature(hash, trusted),
    keep: (name, hash) => repository.keep(name, hash),
    loadKept: (name) => repository.loadKept(name),
  };
}
