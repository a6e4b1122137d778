import { describe, expect, it } from '@jest/globals';
import { addressTime, fieldTime, zonedTime } from './audit-times.ts';

describe('times of the audit page', () => {
  it.each([
    { given: '2026-11-22T03:00', want: '2026-11-22T03:00:00Z' },
    { given: '2026-11-22T03:00:07', want: '2026-11-22T03:00:07Z' },
    { given: '2026-11-22T03:00:07.5', want: '2026-11-22T03:00:07.5Z' },
    { given: '2026-11-22T03:00:00+01:00', want: '2026-11-22T03:00:00+01:00' },
    { given: 'yesterday', want: 'yesterday' },
  ])('without a zone are UTC: $given', ({ given, want }) => {
    expect(zonedTime(given)).toBe(want);
  });

  it.each([
    { link: '2026-11-22T03:30:00.000Z', field: '2026-11-22T03:30:00' },
    { link: '2026-11-22T03:30:00+01:00', field: '2026-11-22T02:30:00' },
    { link: '2026-11-22T03:30', field: '2026-11-22T03:30:00' },
    { link: 'yesterday', field: '' },
    { link: '', field: '' },
  ])('of a link $link are shown by the field as $field', ({ link, field }) => {
    expect(fieldTime(link, 'utc')).toBe(field);
  });

  it.each([
    { field: '2026-11-22T03:30', want: '2026-11-22T03:30:00Z' },
    { field: '2026-11-22T03:30:09', want: '2026-11-22T03:30:09Z' },
    { field: '', want: '' },
  ])('of the field $field are in the address with their zone', ({ field, want }) => {
    expect(addressTime(field, 'utc')).toBe(want);
  });

  it('of this browser come back from the field as they were', () => {
    const link = '2026-07-01T23:59:58Z';
    expect(addressTime(fieldTime(link, 'local'), 'local')).toBe(link);
  });
});
