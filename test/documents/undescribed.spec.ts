import { expect, it } from '@jest/globals';
import { undescribed } from './undescribed.ts';

it.each([
  { place: 'Commit.author', description: null, isDescribed: false },
  { place: 'Commit.author', description: ' ', isDescribed: false },
  { place: 'Commit.author', description: 'The author of the commit.', isDescribed: false },
  { place: 'Policy.maxReplicas', description: 'Its max replicas.', isDescribed: false },
  { place: 'Commit.author', description: 'Who wrote it, as Git has the name.', isDescribed: true },
])('takes “$description” of $place as a description: $isDescribed', ({ isDescribed, ...described }) => {
  expect(undescribed([described])).toHaveLength(isDescribed ? 0 : 1);
});
