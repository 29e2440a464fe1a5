import { fileURLToPath } from 'node:url'

type Registry<Module> = Map<string, Module>
type Entry = { cacheKey: string; deps?: string[] }

/** What jest-runtime knows of a module. */
interface EsModule {
  status: string
}

/** The private parts of jest-runtime that hold the modules of a file of tests. */
export interface Loader {
  registries: {
    esModuleRegistry: Registry<EsModule>
    moduleRegistry: Registry<object>
    internalModuleRegistry: Registry<object>
  }
  /** Returns a symbol for a module that must be loaded otherwise. */
  esmLoader: { buildSyncSourceEntry: (options: { cacheKey: string }) => Entry | symbol }
  testState: { state: string }
  transformCache: { sourceMaps: Map<string, string> }
}

/** jest makes a module of its functions for each module that imports them. */
const jestFunctions = '@jest/globals/'
/** The parts of jest that hold the tests of a file. */
const testsOfFile = '/jest-circus/'

/**
 * The modules that a file of tests leaves to the next one in the same worker. Files below `tests` are loaded again, and so is what
 * imports them or the functions of jest.
 */
export class KeptModules {
  readonly #modules: Registry<EsModule> = new Map()
  readonly #commonJs: Registry<object> = new Map()
  readonly #partsOfJest: Registry<object> = new Map()
  readonly #sourceMaps = new Map<string, string>()
  /** By module, what it imports. */
  readonly #imports = new Map<string, readonly string[]>()

  /** Gives the kept modules to the file that this loader is made for. */
  give(loader: Loader): void {
    this.#lend(loader)
    loader.transformCache.sourceMaps = this.#sourceMaps
    const { esmLoader } = loader
    const build = esmLoader.buildSyncSourceEntry.bind(esmLoader)
    esmLoader.buildSyncSourceEntry = (options) => {
      const entry = build(options)
      if (typeof entry !== 'symbol') this.#imports.set(entry.cacheKey, entry.deps ?? [])
      return entry
    }
  }

  /** Keeps what the next file may use. @param clear what the loader does at the end of its file, which empties its registries */
  take(loader: Loader, clear: () => void): void {
    for (const key of this.#ofThisFile()) this.#modules.delete(key)
    for (const path of this.#partsOfJest.keys()) if (path.includes(testsOfFile)) this.#partsOfJest.delete(path)
    const empty = { esModuleRegistry: new Map(), moduleRegistry: new Map(), internalModuleRegistry: new Map() }
    Object.assign(loader.registries, empty)
    clear()
    // A kept module loads others later, by the loader that has loaded it.
    this.#lend(loader)
    loader.testState.state = 'inTest'
  }

  #lend({ registries }: Loader): void {
    registries.esModuleRegistry = this.#modules
    registries.moduleRegistry = this.#commonJs
    registries.internalModuleRegistry = this.#partsOfJest
  }

  #ofThisFile(): Set<string> {
    const found = new Set(
      [...this.#modules].filter(([key, module]) => this.#isOfThisFile(key, module)).map(([key]) => key),
    )
    for (let before = -1; before < found.size; ) {
      before = found.size
      for (const [key, imports] of this.#imports) if (imports.some((each) => found.has(each))) found.add(key)
    }
    return found
  }

  #isOfThisFile(key: string, { status }: EsModule): boolean {
    if (key.startsWith(jestFunctions) || status !== 'evaluated') return true
    if (!key.startsWith('file:') || key.includes('/node_modules/')) return false
    const path = fileURLToPath(key)
    // What a module imports is not known if it was loaded asynchronously.
    return path.endsWith('.test.ts') || path.includes('/tests/') || (/\.tsx?$/.test(path) && !this.#imports.has(key))
  }
}
