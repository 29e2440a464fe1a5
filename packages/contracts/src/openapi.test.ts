import { expect, test } from '@jest/globals'
import { z } from 'zod'
import { publicRoutes } from './catalogue.ts'
import { errorCodes } from './errors.ts'
import * as contracts from './index.ts'
import { operationOf as describeRoute, openApiDocument } from './openapi.ts'
import { isPublic, permissionsFor, type Route } from './route.ts'
import { defineStream } from './stream.ts'

interface Operation {
  operationId: string
  summary: string
  tags: string[]
  security: Record<string, string[]>[]
  parameters?: { name: string; in: string; required?: boolean; schema: object }[]
  requestBody?: { content: Record<string, { schema: object }> }
  responses: Record<string, Response>
}

interface Response {
  description: string
  headers: Record<string, { $ref: string }>
  content?: Record<string, { schema: object }>
}

// The published form: JSON.
const document = JSON.parse(JSON.stringify(openApiDocument()))
for (const methods of Object.values(document.paths as Record<string, Record<string, Operation>>)) {
  for (const { responses } of Object.values(methods)) {
    for (const [status, response] of Object.entries(responses as Record<string, Response | { $ref: string }>)) {
      if ('$ref' in response) responses[status] = resolve(response.$ref) as Response
    }
  }
}
const operations = Object.entries(document.paths as Record<string, Record<string, Operation>>).flatMap(
  ([path, methods]) => Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
)
const routes = Object.values(contracts as Record<string, unknown>).filter(
  (value): value is Route => typeof value === 'object' && value !== null && 'path' in value && 'responses' in value,
)
const operationOf = ({ name }: Route) => operations.find(({ operation }) => operation.operationId === name)

/** Every `$ref` in the document. */
function referencesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, child]) =>
    key === '$ref' && typeof child === 'string' ? [child] : referencesIn(child),
  )
}

function resolve(reference: string): unknown {
  return reference
    .slice('#/'.length)
    .split('/')
    .reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], document)
}

test('the document is OpenAPI 3.1 with the parts that the standard requires', () => {
  expect(document.openapi).toMatch(/^3\.1\.\d+$/)
  expect(document.info).toMatchObject({ title: expect.any(String), version: expect.any(String) })
  for (const path of Object.keys(document.paths)) expect(path).toMatch(/^(\/([\w.-]+|\{\w+\}))+$/)
  for (const { method } of operations) expect(['get', 'put', 'post', 'delete', 'patch']).toContain(method)
  for (const name of Object.keys(document.components.schemas)) expect(name).toMatch(/^[a-zA-Z0-9._-]+$/)
})

test('every reference leads to something in the document, and none to itself', () => {
  const references = referencesIn(document)
  expect(references.length).toBeGreaterThan(0)
  expect(references.filter((reference) => resolve(reference) === undefined)).toEqual([])
  expect(
    references.filter((reference) => (resolve(reference) as { $ref?: string } | undefined)?.$ref === reference),
  ).toEqual([])
})

test('every operation has a unique name, a summary, a declared tag and a declared security scheme', () => {
  expect(new Set(operations.map(({ operation }) => operation.operationId)).size).toBe(operations.length)
  const tags = document.tags.map(({ name }: { name: string }) => name)
  const schemes = Object.keys(document.components.securitySchemes)
  for (const { operation } of operations) {
    expect(operation.summary).not.toBe('')
    expect(tags).toEqual(expect.arrayContaining(operation.tags))
    expect(schemes).toEqual(expect.arrayContaining(operation.security.flatMap(Object.keys)))
  }
})

test('every parameter in a path is declared and required, and no other path parameter is', () => {
  for (const { path, operation } of operations) {
    const inPath = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path')
    expect(inPath.map(({ name }) => name)).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name))
    expect(inPath.every(({ required }) => required)).toBe(true)
  }
})

test('a query parameter is required exactly where a request without any lacks it', () => {
  const required: string[] = []
  for (const { name, query } of publicRoutes()) {
    const declared = operations.find(({ operation }) => operation.operationId === name)!.operation.parameters ?? []
    const named = declared.filter((one) => one.in === 'query' && one.required).map((one) => one.name)
    const missing = (query?.safeParse({}).error?.issues ?? []).filter(({ code }) => code !== 'custom')
    expect([name, named]).toEqual([name, missing.map(({ path }) => path[0])])
    required.push(...named)
  }
  expect(required).not.toEqual([])
})

test('lines of an export are described by a schema of the document', () => {
  const { content } = operations.find(({ operation }) => operation.operationId === 'exportActivity')!.operation
    .responses[200]!
  expect(content!['application/x-ndjson']!.schema).toMatchObject({
    contentSchema: { $ref: '#/components/schemas/ExportedItem' },
  })
  expect(Object.keys(document.components.schemas.ExportedItem.properties)).toEqual(
    expect.arrayContaining(['segments', 'cost', 'currency']),
  )
})

test('every answer is described, and has a body of its media type unless it is 204 or 304', () => {
  for (const { operation } of operations) {
    const { responseType = 'application/json', otherResponseTypes = [] } =
      routes.find(({ name }) => name === operation.operationId) ?? {}
    for (const [status, { description, content }] of Object.entries(operation.responses)) {
      expect(status).toMatch(/^[2345]\d\d$/)
      expect(description).not.toBe('')
      const expected = Number(status) < 400 ? [responseType, ...otherResponseTypes] : ['application/problem+json']
      expect([status, ...Object.keys(content ?? {})]).toEqual(
        status === '204' || status === '304' ? [status] : [status, ...expected],
      )
    }
  }
})

test('every public route is in the document, with its method and path', () => {
  for (const route of routes.filter(isPublic)) {
    const path = route.path.replace(/:(\w+)/g, '{$1}')
    expect(operationOf(route)).toMatchObject({ path, method: route.method.toLowerCase() })
  }
  expect(publicRoutes().length).toBe(operations.length)
})

test('no internal route is in the document', () => {
  const internal = routes.filter((route) => !isPublic(route))
  expect(internal.length).toBeGreaterThan(0)
  for (const route of internal) expect(operationOf(route)).toBeUndefined()
  expect(JSON.stringify(document)).not.toContain('/internal/')
})

test('every error that a route declares is documented under its status', () => {
  for (const route of publicRoutes()) {
    const { responses } = operationOf(route)!.operation
    for (const code of route.errors) {
      expect([route.name, responses[errorCodes[code].status]?.description]).toEqual([
        route.name,
        expect.stringContaining(`\`${code}\``),
      ])
    }
  }
})

test('every answer has the request id, and an operation without a body documents how it refuses one', () => {
  for (const { method, operation } of operations) {
    for (const { headers } of Object.values(operation.responses)) expect(headers).toHaveProperty('X-Request-Id')
    const refusesBody = method === 'get' || method === 'delete'
    expect(operation.responses[400]?.description.includes('unexpected_body')).toBe(refusesBody)
    expect('415' in operation.responses && '413' in operation.responses).toBe(!refusesBody)
  }
})

test('an authenticated operation documents 401 and 403, its security schemes and its permission', () => {
  const either = ['apiKey', 'operator']
  const schemes = { key: ['apiKey'], operator: ['operator'], 'key or operator': either, 'any principal': either }
  for (const route of publicRoutes()) {
    const permissions = permissionsFor(route.auth)
    if (!permissions) continue
    const { operation } = operationOf(route)!
    expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(['401', '403']))
    const expected = schemes[route.auth.caller as keyof typeof schemes]
    expect(operation.security).toEqual(expected.map((scheme) => ({ [scheme]: [] })))
    for (const permission of Object.values(permissions).filter((one) => one !== null))
      expect(JSON.stringify(operation)).toContain(permission)
  }
})

test('no two routes answer the same method and path', () => {
  const doors = routes.map(({ method, path }) => `${method} ${path.replace(/:\w+/g, ':')}`)
  expect(new Set(doors).size).toBe(doors.length)
})

test('a field with a default is optional in a request', () => {
  const { required, properties } = document.components.schemas.DispatchRequest
  expect(required).toEqual(['channel', 'recipient'])
  expect(properties.priority.default).toBe('transactional')
})

test('a stream names its events, its problems and the token of the user', () => {
  const contract = defineStream({
    name: 'parcelStream',
    service: 'inbox-stream',
    path: '/api/v1/parcels/stream',
    summary: 'Parcels as they come',
    events: { parcel: z.object({ text: z.string() }) },
    errors: ['not_found'],
  })
  const operation = describeRoute(contract, { schemas: {}, responses: {}, examples: {} })
  expect(operation).toMatchObject({
    security: [{ user: [] }],
    description: "Requires an end user's token.",
    responses: {
      200: {
        content: {
          'text/event-stream': {
            schema: { type: 'string', description: expect.stringContaining('`parcel`') },
            'x-events': { parcel: { type: 'object', properties: { text: { type: 'string' } } } },
          },
        },
      },
      404: { content: { 'application/problem+json': expect.anything() } },
    },
  })
  const statuses = Object.keys(operation.responses as object)
  expect(statuses).toEqual(expect.arrayContaining(['401', '404', '429', '503']))
  expect(statuses).not.toContain('406')
})
