import { existsSync } from 'node:fs'
import { join } from 'node:path'

const projectRoot = join(import.meta.dirname, '..', '..', '..', '..')

/** Environment variable with the folder of the bundles that a run of tests starts in place of sources. */
export const programsVariable = 'NOTIFY_TEST_PROGRAMS'

/**
 * The file to run for a source: in a run of tests its bundle, where there is one. With `DEBUG` it is the source, whose stack
 * traces name the lines.
 * @param source relative to the root of the project
 */
export function programPath(source: string, root = projectRoot): string {
  const folder = process.env.DEBUG || root !== projectRoot ? undefined : process.env[programsVariable]
  const bundle = folder && join(folder, source.replace(/\.ts$/, '.js'))
  return bundle && existsSync(bundle) ? bundle : join(root, source)
}
