import { describe, expect, it } from '@jest/globals';
import { PendingTable } from './pending-table.ts';

describe('a table of what waits', () => {
  it('gives each back once', () => {
    const table = new PendingTable<string>();
    table.add(7, 'seven');
    table.add(8, 'eight');
    expect(table.has(7)).toBe(true);
    expect(table.take(7)).toBe('seven');
    expect(table.take(7)).toBeUndefined();
    expect(table.has(7)).toBe(false);
    expect(table.size).toBe(1);
  });

  it('gives all back in their order, and is empty', () => {
    const table = new PendingTable<string>();
    table.add(8, 'eight');
    table.add(7, 'seven');
    expect(table.takeAll()).toEqual(['seven', 'eight']);
    expect(table.size).toBe(0);
    expect(table.takeAll()).toEqual([]);
  });
});
