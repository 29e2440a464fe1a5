const key = Symbol.for('notify.load-library')

type Load = (path: string) => unknown

/** What a file of tests calls to get a module that is loaded outside of it, as JavaScript. @param path its absolute path */
export const sharedModule = (path: string): string =>
  `globalThis[Symbol.for('${key.description}')](${JSON.stringify(path)})`

/** Lets the files of tests use modules that are loaded outside of them, once for each worker of jest. @param global that of a file */
export function shareModules(global: object, load: Load): void {
  Object.defineProperty(global, key, { value: load })
}

/** Loads a module outside of the file of tests that asks for it; where there is none, as usual. */
export async function loadShared(path: string): Promise<unknown> {
  const load = (globalThis as { [key]?: Load })[key]
  return load ? load(path) : import(path)
}
