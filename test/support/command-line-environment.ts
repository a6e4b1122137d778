/**
 * What a command line is started with: a folder for its contexts, nothing of the test's own settings, and modules that
 * earlier processes have compiled.
 */
export function commandLineEnvironment(contextFolder: string): Readonly<Record<string, string | undefined>> {
  return {
    PATH: process.env['PATH'],
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
    XDG_CONFIG_HOME: contextFolder,
  };
}
