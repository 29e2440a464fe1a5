import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type ServiceName, schemaOf, serviceNames } from '@notify/contracts'
import {
  column,
  declaredStatements,
  migrate,
  renewalStatements,
  rotationStatements,
  type Statement,
} from '@notify/database'
import { TestEnv } from '@notify/dev-env'
import { createTestKit } from '@notify/test-kit/kit'
import { parseSync } from '@swc/core'
import pg from 'pg'
import { migrationsOf } from '../../scripts/service-declarations.ts'
import { describeStatement } from './describe-statement.ts'
import { encryptedColumnsOf, indexedTablesOf } from './encrypted-columns.ts'
import { readText, root, sourcesOf } from './sources.ts'
import { columnFaults, countCtes } from './statement-faults.ts'
import { statementsOf } from './syntax-tree.ts'

const declaring = /\bdefineStatements?(<[^(]*>)?\(/g
const mostCtes = 7

const filesOf = (folder: string) => sourcesOf(folder).filter((file) => readText(file).match(declaring))

/** The statements that the files of a folder declare. */
async function declaredIn(folder: string): Promise<readonly Statement[]> {
  const before = declaredStatements.length
  for (const file of filesOf(folder)) await import(join(root, file))
  return declaredStatements.slice(before)
}

let env: TestEnv
/** First those of the mechanisms, which every service imports; the gateway has all their tables. */
const mechanisms = await declaredIn('packages/database')
const suites: { folder: string; service: (typeof serviceNames)[number]; statements: readonly Statement[] }[] = [
  { folder: 'packages/database', service: 'gateway', statements: mechanisms },
]
for (const service of serviceNames) {
  const folder = `services/${service}`
  suites.push({ folder, service, statements: await declaredIn(folder) })
}

beforeAll(async () => {
  env = await TestEnv.start([])
  for (const service of serviceNames) {
    const config = { DATABASE_URL: env.stack.databaseUrl(service) }
    await migrate(createTestKit(service), {
      config,
      schema: schemaOf(service),
      migrations: await migrationsOf(service),
    })
  }
})
afterAll(() => env?.stop())

/** A connection of a service's role. */
async function withClient<T>(service: (typeof serviceNames)[number], work: (client: pg.Client) => Promise<T>) {
  const client = new pg.Client({ connectionString: env.stack.databaseUrl(service) })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** In what statements differ from what Postgres says of them. */
function faultsOf(service: ServiceName, statements: readonly Statement[]): Promise<string[]> {
  return withClient(service, async (client) => {
    const all: string[] = []
    for (const statement of statements) {
      const found = await describeStatement(client, statement.text).then(
        (result) => columnFaults(statement, result),
        (error: Error) => [error.message],
      )
      all.push(...found.map((fault) => `${statement.name}: ${fault}`))
    }
    return all
  })
}

test.each(suites)('the statements of $folder return the columns that they declare', async ({ service, statements }) => {
  expect(await faultsOf(service, statements)).toEqual([])
})

test.each(serviceNames)(
  'the statements that re-encrypt the columns of %s return what they declare',
  async (service) => {
    const columns = await encryptedColumnsOf(service)
    const faults = await faultsOf(
      service,
      columns.flatMap((column) => Object.values(rotationStatements(column))),
    )
    // They are the same for columns that may be null and for others.
    expect(faults.filter((fault) => !fault.endsWith('present() is needless'))).toEqual([])
  },
)

test.each(serviceNames)('the statements that renew the indexes of %s return what they declare', async (service) => {
  const tables = await indexedTablesOf(service)
  expect(
    await faultsOf(
      service,
      tables.flatMap((table) => Object.values(renewalStatements(table))),
    ),
  ).toEqual([])
})

test.each(suites)('the names of the statements of $folder are unique', ({ folder, statements }) => {
  const names = (folder === 'packages/database' ? statements : [...mechanisms, ...statements]).map(({ name }) => name)
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([])
})

test('no source names the type of rows that nothing checks', () => {
  const files = [...serviceNames.map((service) => `services/${service}`), 'packages/database'].flatMap(sourcesOf)
  expect(files.length).toBeGreaterThan(300)
  expect(files.filter((file) => /(await|return|=>|\.)\s*(run|runLong)</.test(readText(file)))).toEqual([])
})

// biome-ignore lint/suspicious/noExplicitAny: the tree has some two hundred shapes
type SyntaxNode = any

/** The tables of a query may be fragments of SQL: their columns are cast where the result shows them. */
const readsRows = /^(selectFrom|from|\w*[jJ]oin|with|using)$/

/** The fragments of SQL that a text shows in results without a cast: there TypeScript believes the type that is written. */
function uncheckedResults(text: string): string[] {
  const found: string[] = []
  const fragments = new Set<string>()
  const isFragment = ({ type, tag, typeParameters, callee, typeArguments, value, expression }: SyntaxNode): boolean =>
    (type === 'TaggedTemplateExpression' && tag.value === 'sql' && typeParameters !== null) ||
    (type === 'CallExpression' && callee.object?.value === 'sql' && typeArguments !== null) ||
    (type === 'CallExpression' && fragments.has(callee.value)) ||
    (type === 'ParenthesisExpression' && isFragment(expression)) ||
    (type === 'Identifier' && fragments.has(value))
  const visit = (node: SyntaxNode): void => {
    if (typeof node !== 'object' || node === null) return
    if (node.type === 'VariableDeclarator' && node.init) {
      const made = node.init.type === 'ArrowFunctionExpression' ? node.init.body : node.init
      if (isFragment(made)) fragments.add(node.id.value)
    }
    const { callee, type } = node
    const method = type === 'CallExpression' ? callee.property?.value : undefined
    if (method === 'as' && isFragment(callee.object)) found.push(node.arguments[0].expression.value)
    for (const child of readsRows.test(method ?? '') ? [callee.object] : Object.values(node)) visit(child)
  }
  const tree = parseSync(text, { syntax: 'typescript', target: 'es2024' })
  // Twice: a function may be used above the line that declares it.
  visit(tree)
  found.length = 0
  visit(tree)
  return found
}

test.each([
  "build.select(sql<number>`count(*)`.as('a'))",
  "build.select((sql<number>`count(*)`).as('a'))",
  "build.select(sql.raw<number>(text).as('a'))",
  "const count = sql<number>`count(*)`\nbuild.select(count.as('a'))",
  "build.select(of().as('a'))\nconst of = () => sql<number>`1`",
])('%s is a result that nothing checks', (text) => {
  expect(uncheckedResults(text)).toEqual(['a'])
})

test('a cast result, one without a type and a fragment in place of a table are none', () => {
  const text =
    "build.selectFrom(sql<Row>`(select 1)`.as('rows')).select(cast(column.integer(), sql`count(*)`).as('a')).select(sql`ctid`.as('b'))"
  expect(uncheckedResults(text)).toEqual([])
})

test('no query shows a fragment of SQL whose type nothing checks', () => {
  const files = [...serviceNames.map((service) => `services/${service}`), 'packages/database'].flatMap(sourcesOf)
  const found = files.flatMap((file) => uncheckedResults(readText(file)).map((name) => `${file}: ${name}`))
  expect(found).toEqual([])
})

test(`a statement has at most ${mostCtes} common table expressions`, async () => {
  const long: string[] = []
  for (const { folder, statements } of suites) {
    for (const { name, text } of statements) {
      const count = countCtes(await statementsOf(text))
      if (count > mostCtes) long.push(`${folder} ${name}: ${count}`)
    }
  }
  expect(long).toEqual([])
})

test.each(suites)(
  'a file of $folder that declares a statement with common table expressions declares no other',
  ({ folder }) => {
    const crowded = filesOf(folder).filter((file) => {
      const text = readText(file)
      return text.match(declaring)!.length > 1 && /\bwith (recursive )?\w+ as \(/.test(text)
    })
    expect(crowded).toEqual([])
  },
)

test.each<[string, Statement['columns'], string[]]>([
  ['select id, name from tenants', { id: column.id('ten'), name: column.text() }, []],
  ['select id from tenants', { id: column.id('ten'), name: column.text() }, ['name is not in the result']],
  ['select id, name from tenants', { id: column.id('ten') }, ['name is not declared']],
  ['select count(*) as count from tenants', { count: column.integer() }, ['count is bigint, not integer']],
  ['select deleted_at from applications', { deleted_at: column.timestamp() }, ['deleted_at may be null']],
  [
    'with a as (select deleted_at from applications) select * from a',
    { deleted_at: column.timestamp() },
    ['deleted_at may be null'],
  ],
  [
    'update applications set name = name returning deleted_at',
    { deleted_at: column.timestamp() },
    ['deleted_at may be null'],
  ],
  ['select deleted_at from applications', { deleted_at: column.timestamp().nullable().present() }, []],
  ['select name from tenants', { name: column.text().present() }, ['name is never null: present() is needless']],
  ['delete from tenants', {}, []],
])('%s, declared otherwise, is found', async (text, columns, faults) => {
  const result = await withClient('gateway', (client) => describeStatement(client, text))
  expect(columnFaults({ columns }, result)).toEqual(faults)
})
