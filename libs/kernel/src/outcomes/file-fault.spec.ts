import { describe, expect, it } from '@jest/globals';
import { fileFault } from './file-fault.ts';

function aFault(code: string, path?: string): Error {
  const message = `${code}: some words, open '${path ?? ''}'`;
  return Object.assign(new Error(message), { code, ...(path === undefined ? {} : { path }) });
}

describe('fileFault', () => {
  it.each([
    ['ENOENT', 'no such file or folder'],
    ['EACCES', 'permission denied'],
    ['EPERM', 'the operation is not permitted'],
    ['EISDIR', 'it is a folder'],
    ['ENOTDIR', 'a part of the path is no folder'],
    ['EROFS', 'the file system is read-only'],
    ['ENOSPC', 'no space is left on the disk'],
    ['EDQUOT', 'the quota of disk space is used up'],
    ['EMFILE', 'this process has too many files open'],
    ['ENFILE', 'this machine has too many files open'],
    ['ELOOP', 'too many symbolic links'],
    ['ENAMETOOLONG', 'the name is too long'],
    ['EEXIST', 'it is there already'],
    ['ENOTEMPTY', 'the folder is not empty'],
  ])('says %s in words, and does not repeat the path', (code, want) => {
    expect(fileFault(aFault(code, '/x'), '/x')).toBe(want);
    expect(fileFault(aFault(code), '/x')).toBe(want);
  });

  it('names a path that the message does not', () => {
    expect(fileFault(aFault('EACCES', '/x'), '/x/y')).toBe('permission denied: /x');
    expect(fileFault(aFault('ENOENT', '/x'))).toBe('no such file or folder: /x');
  });

  it('says of a folder that could not be made what is in its place', () => {
    const fault = Object.assign(aFault('EEXIST', '/x'), { syscall: 'mkdir' });
    expect(fileFault(fault, '/x')).toBe('no folder is there, but a file or a link that leads nowhere');
    expect(fileFault(Object.assign(aFault('EACCES', '/x'), { syscall: 'mkdir' }), '/x')).toBe(
      'permission denied',
    );
  });

  it('names both of what could not be copied or renamed', () => {
    const fault = Object.assign(aFault('EACCES', '/data/x.part'), { dest: '/reports/x' });
    expect(fileFault(fault)).toBe('permission denied: /data/x.part → /reports/x');
  });

  it.each([
    ['EACCES', 'listen', 'listen EACCES: permission denied 0.0.0.0:443'],
    ['ENOENT', 'connect', 'connect ENOENT /run/none.sock'],
    ['EMFILE', 'connect', 'connect EMFILE 10.0.0.1:5432'],
  ])('leaves %s of a socket as it is: %s', (code, syscall, message) => {
    expect(fileFault(Object.assign(new Error(message), { code, syscall }))).toBe(message);
  });

  it('leaves what else went wrong as it is', () => {
    expect(fileFault(new Error('it is empty'), '/x')).toBe('it is empty');
    expect(fileFault(aFault('ESTALE', '/x'), '/x')).toBe("ESTALE: some words, open '/x'");
    expect(fileFault('gone', '/x')).toBe('gone');
  });
});
