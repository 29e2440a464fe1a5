import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..', '..', '..', '..')

/** What customers start a project with, each with its own lockfile in packages/demo-shop/tests/fresh-projects. */
export const freshProjects = ['vite', 'next'] as const
export type FreshProject = (typeof freshProjects)[number]

/** The folder with the manifest and the lockfile of the modules. */
export const lockOf = (name: FreshProject) => join(root, 'packages/demo-shop/tests/fresh-projects', name)

/** The folder `node_modules` of a project as its lockfile has it; it exists once `npm test` has installed it. */
export function freshModules(name: FreshProject): string {
  const lock = createHash('sha256').update(readFileSync(join(lockOf(name), 'package-lock.json')))
  return join(root, '.local', 'fresh-projects', `${name}-${lock.digest('hex').slice(0, 16)}`, 'node_modules')
}
