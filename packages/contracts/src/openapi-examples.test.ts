import { expect, test } from '@jest/globals'
import type { z } from 'zod'
import { ExportedItem, exportedColumns } from './activity-export.ts'
import { AuditEntry } from './audit.ts'
import { publicRoutes } from './catalogue.ts'
import { errorCodes } from './errors.ts'
import { fieldExamples } from './example-fields.ts'
import { answerExamples, requestExamples } from './example-values.ts'
import { openApiDocument } from './openapi.ts'
import { ProblemBody } from './problem.ts'
import { isStream } from './stream.ts'

interface Operation {
  operationId: string
  parameters?: { name: string; in: string; example?: unknown }[]
  requestBody?: { content: Record<string, { example?: unknown }> }
  responses: Record<string, { content?: Record<string, { example?: unknown }> }>
}

const document = openApiDocument() as {
  paths: Record<string, Record<string, Operation>>
  components: { examples: Record<string, { value: unknown }> }
}
const operations = new Map(
  Object.values(document.paths)
    .flatMap((methods) => Object.values(methods))
    .map((operation) => [operation.operationId, operation]),
)
const routes = publicRoutes().map((route) => [route.name, route] as const)

test.each(routes)(
  '%s has an example of each parameter, of its body and of each answer, which fit their schemas',
  (name, route) => {
    const { parameters = [], requestBody, responses } = operations.get(name)!
    expect(parameters.filter(({ example }) => example === undefined)).toEqual([])
    const query = parameters.filter((one) => one.in === 'query')
    // Parameters arrive as text.
    route.query?.parse(Object.fromEntries(query.map(({ name, example }) => [name, String(example)])))
    for (const { example } of Object.values(requestBody?.content ?? {})) {
      expect(example).toBeDefined()
      if (route.bodyType !== 'raw') route.body!.parse(example)
    }
    for (const [status, schema] of Object.entries<z.ZodType>(route.responses)) {
      for (const { example } of Object.values(responses[status]!.content ?? {})) {
        expect(isStream(route) ? example : schema.parse(example)).toEqual(example)
        expect(example).toBeDefined()
      }
    }
  },
)

const exampleOf = (name: string, type = 'application/json') =>
  operations.get(name)!.responses[200]!.content![type]!.example as never

test('the example of an export has the columns and the fields of an exported item', () => {
  const [head, line] = (exampleOf('exportActivity', 'text/csv') as string).split('\r\n')
  expect(head!.split(',')).toEqual(exportedColumns)
  expect(line!.split(',')).toHaveLength(exportedColumns.length)
  const item = JSON.parse(exampleOf('exportActivity', 'application/x-ndjson'))
  expect(item).toEqual(ExportedItem.parse(item))
  expect(Object.keys(item)).toEqual(expect.arrayContaining([...exportedColumns]))
  const entry = JSON.parse(exampleOf('exportAuditLog', 'application/x-ndjson'))
  expect(entry).toEqual(AuditEntry.parse(entry))
})

test('examples of usage name days, and an example of an hour begins with the hour', () => {
  for (const name of ['getUsage', 'listUsageLocales', 'listUsageMessages'])
    expect((exampleOf(name) as { items: object[] }).items).toMatchObject([{ period: '2026-11-01' }])
  expect(exampleOf('summarizeActivity')).toMatchObject({ buckets: [{ starts_at: '2026-11-21T09:00:00.000Z' }] })
})

test('every error code is documented with an example', () => {
  const { examples } = document.components
  // Methods without a route have no operation.
  const expected = Object.keys(errorCodes).filter((code) => code !== 'method_not_allowed')
  expect(Object.keys(examples).sort()).toEqual(expected.sort())
  for (const [code, { value }] of Object.entries(examples)) {
    expect(ProblemBody.parse(value)).toEqual({ ...(value as object), code })
  }
})

test('every example is shown', () => {
  const names = publicRoutes().map(({ name }) => name)
  expect(Object.keys({ ...requestExamples, ...answerExamples }).filter((name) => !names.includes(name))).toEqual([])
  const text = JSON.stringify(document)
  const unused = Object.values(fieldExamples).filter((value) => !text.includes(JSON.stringify(value)))
  expect(unused).toEqual([])
})
