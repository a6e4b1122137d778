import { expect, it } from '@jest/globals';
import { pullRequestAddress } from './pull-request-address.ts';

it.each([
  { url: 'https://github.com/shop/policies.git', want: 'https://github.com/shop/policies/pull/7' },
  { url: 'git@github.com:shop/policies', want: 'https://github.com/shop/policies/pull/7' },
  {
    url: 'ssh://git@gitlab.example.com:2222/a/b/policies.git',
    want: 'https://gitlab.example.com/a/b/policies/-/merge_requests/7',
  },
  { url: 'https://codeberg.org/shop/policies/', want: 'https://codeberg.org/shop/policies/pulls/7' },
  { url: 'git@bitbucket.org:shop/policies.git', want: 'https://bitbucket.org/shop/policies/pull-requests/7' },
  { url: 'https://bitbucket.example.com/scm/shop/policies', want: undefined },
  { url: 'https://git.example.com/shop/policies', want: undefined },
  { url: 'https://notgithub.com/shop/policies', want: undefined },
  { url: 'file:///srv/policies', want: undefined },
  { url: '/tmp/policies', want: undefined },
  { url: 'javascript:alert(1)//@github.com/x', want: undefined },
])('a pull request of $url is at $want', ({ url, want }) => {
  expect(pullRequestAddress(url, 7)).toBe(want);
});
