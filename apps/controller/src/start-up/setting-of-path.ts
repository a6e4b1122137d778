import { resolve, sep } from 'node:path';

/** What names a file or a folder, by the last key of its setting. */
const namesPath = /(?:file|folder|^kubeconfig)$/i;

interface FoundSetting {
  readonly setting: string;
  readonly path: string;
}

/**
 * The setting that a path comes of: that of the path itself, of a folder above it, or of a file that it lies beside under the
 * same name and something after a dot (`token.pid`). The nearest, where there are several; undefined: none.
 */
export function settingOfPath(configuration: object, path: string): string | undefined {
  const whole = resolve(path);
  const found = pathsIn(configuration, []).filter((each) => isOf(whole, each.path));
  return found.toSorted((one, other) => other.path.length - one.path.length)[0]?.setting;
}

function pathsIn(value: unknown, keys: readonly string[]): readonly FoundSetting[] {
  if (typeof value === 'string' && namesPath.test(keys.at(-1) ?? ''))
    return [{ setting: keys.join('.'), path: resolve(value) }];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => pathsIn(inner, [...keys, key]));
}

function isOf(path: string, named: string): boolean {
  return path === named || path.startsWith(`${named}${sep}`) || path.startsWith(`${named}.`);
}
