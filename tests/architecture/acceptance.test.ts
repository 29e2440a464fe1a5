import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { filesBelow, packages, readText } from './sources.ts'

const door = 'services/gateway/src/dispatching/'
const accept = 'services/dispatch/src/accept/'

/** Vocabulary and the rules of a request: schemas, ids, problems, logs, tracing, the catalogue, how statements are declared. */
const aside =
  /contracts\/src\/(?!accept)|\/(problem|describe-issue|require-shape|reply|path-of|ttl-cache|loop-turns|refusals|idempotency-scope|connection-errors|metadata|query|statement|locked-sql|columns|shared-tables)\.ts|\/(telemetry|principal|catalogue|channels)\//

const indexes = new Map(
  packages.map((folder) => [
    JSON.parse(readText(`packages/${folder}/package.json`)).name,
    `packages/${folder}/src/index.ts`,
  ]),
)

/** The files of which a file uses values; a package's name stands for the file that declares it. */
function usedBy(file: string): string[] {
  const imports = readText(file).matchAll(/^import \{([^}]*)\} from '([^']+)'/gm)
  return [...imports].flatMap(([, list = '', specifier = '']) => {
    const names = list.split(',').map((name) => name.trim().split(' as ')[0]!)
    const values = names.filter((name) => name !== '' && !name.startsWith('type '))
    if (values.length === 0) return []
    if (specifier.startsWith('.')) return [join(file, '..', specifier)]
    const index = indexes.get(specifier)
    return index === undefined ? [] : values.flatMap((name) => declaring(index, name) ?? [])
  })
}

function declaring(file: string, name: string): string | undefined {
  const text = readText(file)
  if (new RegExp(`^export (?:async )?(?:const|function|class) ${name}\\b`, 'm').test(text)) return file
  for (const [, list, target = ''] of text.matchAll(/^export (?:\*|\{([^}]*)\}) from '(\.[^']+)'/gm)) {
    if (list !== undefined && !list.split(',').some((one) => one.trim() === name)) continue
    const found = declaring(join(file, '..', target), name)
    if (found) return found
  }
  return undefined
}

/** The files on the way from the gateway's door to the commit. */
function filesOnTheWay(): Set<string> {
  const found = new Set<string>()
  const visit = (file: string) => {
    if (found.has(file) || aside.test(file)) return
    found.add(file)
    usedBy(file).forEach(visit)
  }
  const entries = [`${door}create-notification.ts`, `${door}accept.ts`]
  for (const file of [...entries, `${accept}accept-notifications.ts`, `${accept}accept-candidate.ts`]) visit(file)
  return found
}

test('a request crosses at most 25 files between the gateway’s door and its commit', () => {
  const files = filesOnTheWay()
  for (const file of [`${door}call-dispatch.ts`, 'packages/contracts/src/accept.ts', `${accept}commit-batch.ts`])
    expect(files).toContain(file)
  expect(files.size).toBeLessThanOrEqual(25)
})

test('the acceptance of dispatch has at most 10 files', () => {
  expect(filesBelow(accept).length).toBeLessThanOrEqual(10)
})
