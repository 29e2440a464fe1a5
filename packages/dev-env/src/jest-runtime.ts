import jestRuntime from 'jest-runtime'
import { KeptModules, type Loader } from './kept-modules.ts'

/** Its types are those of CommonJS, but an import gets the class. */
const Runtime = jestRuntime as unknown as typeof jestRuntime.default

/** One for each worker of jest: this module is loaded once, outside the files of tests. */
const kept = new KeptModules()

/** Jest's own, where the files of tests that run in one worker use the same modules. */
class KeepingRuntime extends Runtime {
  /** While jest watches, modules change between runs. */
  readonly #isKept: boolean

  constructor(...options: ConstructorParameters<typeof Runtime>) {
    super(...options)
    const globalConfig = options.at(-1) as { watch: boolean; watchAll: boolean }
    this.#isKept = !globalConfig.watch && !globalConfig.watchAll
    if (this.#isKept) kept.give(this as unknown as Loader)
  }

  override teardown(): void {
    if (this.#isKept) kept.take(this as unknown as Loader, () => super.teardown())
    else super.teardown()
  }
}

// Jest loads this file with `require`, which returns what has this name.
export { KeepingRuntime as 'module.exports' }
