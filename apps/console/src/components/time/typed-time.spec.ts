import { describe, expect, it } from '@jest/globals';
import { readTypedTime, typedTime, zonedTime } from './typed-time.ts';

describe('times that are typed', () => {
  it.each([
    { given: '2026-11-22T03:00', want: '2026-11-22T03:00:00Z' },
    { given: '2026-11-22T03:00:07', want: '2026-11-22T03:00:07Z' },
    { given: '2026-11-22T03:00:07.5', want: '2026-11-22T03:00:07.5Z' },
    { given: '2026-11-22T03:00:00+01:00', want: '2026-11-22T03:00:00+01:00' },
    { given: 'yesterday', want: 'yesterday' },
  ])('without a zone are UTC in a link: $given', ({ given, want }) => {
    expect(zonedTime(given)).toBe(want);
  });

  it.each([
    { link: '2026-11-22T03:30:00.000Z', field: '2026-11-22 03:30' },
    { link: '2026-11-22T03:30:00+01:00', field: '2026-11-22 02:30' },
    { link: '2026-11-22T03:30', field: '2026-11-22 03:30' },
    { link: '2026-11-22T03:30:07Z', field: '2026-11-22 03:30:07' },
    { link: 'yesterday', field: '' },
    { link: '', field: '' },
  ])('of a link $link are shown by the field as $field', ({ link, field }) => {
    expect(typedTime(link, 'utc')).toBe(field);
  });

  it.each([
    { field: '2026-11-22 03:30', want: '2026-11-22T03:30:00Z' },
    { field: ' 2026-11-22T03:30:09 ', want: '2026-11-22T03:30:09Z' },
    { field: '2026-11-22', want: '2026-11-22T00:00:00Z' },
    { field: '2026-02-30 03:30', want: undefined },
    { field: '2026-11-22 25:00', want: undefined },
    { field: '22.11.2026', want: undefined },
    { field: '', want: undefined },
  ])('of the field $field are in the address with their zone', ({ field, want }) => {
    expect(readTypedTime(field, 'utc')).toBe(want);
  });

  it('of this browser come back from the field as they were', () => {
    const link = '2026-07-01T23:59:58Z';
    expect(readTypedTime(typedTime(link, 'local'), 'local')).toBe(link);
  });
});
