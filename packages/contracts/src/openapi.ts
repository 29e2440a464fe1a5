import { z } from 'zod'
import { publicRoutes } from './catalogue.ts'
import { type ErrorCode, errorCodes } from './errors.ts'
import { errorsOf } from './openapi-errors.ts'
import {
  answerExampleOf,
  linesExampleOf,
  problemExampleOf,
  requestExampleOf,
  streamExampleOf,
} from './openapi-examples.ts'
import { headerComponents, headersOf, isVersioned } from './openapi-headers.ts'
import { parametersOf } from './openapi-parameters.ts'
import { tagOf, tagsOf } from './openapi-tags.ts'
import { type KeyPermission, liveOnlyPermissions } from './permissions.ts'
import { ProblemBody } from './problem.ts'
import { permissionsFor, type Route } from './route.ts'
import { isStream, type StreamContract } from './stream.ts'

type Json = Record<string, unknown>

/** Components that several routes reference. */
interface Components {
  schemas: Json
  responses: Json
  examples: Json
}

/** The OpenAPI 3.1 document of the whole API, generated from the contracts. */
export function openApiDocument(): Json {
  const paths: Record<string, Json> = {}
  const components: Components = { schemas: {}, responses: {}, examples: {} }
  for (const route of publicRoutes()) {
    const path = route.path.replace(/:(\w+)/g, '{$1}')
    paths[path] ??= {}
    paths[path][route.method.toLowerCase()] = operationOf(route, components)
  }
  schemaOf(ProblemBody, 'output', components.schemas)
  return {
    openapi: '3.1.0',
    info: {
      title: 'Notification service',
      version: '1.0.0',
      description:
        'Send notifications over SMS, email, WhatsApp, in-app and webhooks, and one-time passwords. Track and retry deliveries. ' +
        'Every error is a problem (RFC 9457) whose `type` leads to a page with its meaning and remedy. ' +
        'An unsupported method returns 405 `method_not_allowed`; the Allow header lists the supported ones. ' +
        'GET and DELETE requests with a body return 400 `unexpected_body`.',
      license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
      contact: { name: 'Operator of this installation' },
    },
    servers: [{ url: '/' }],
    tags: tagsOf(publicRoutes()),
    paths,
    components: {
      ...components,
      headers: headerComponents,
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'API key of an application, sk_live_… or sk_test_…' },
        operator: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: 'Access token of the identity provider',
        },
        user: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'Token of an end user' },
      },
    },
  }
}

export function operationOf(route: Route, components: Components): Json {
  const { schemas } = components
  const responses: Record<string, Json> = {}
  for (const [status, schema] of Object.entries(route.responses)) {
    const headers = headersOf(route, Number(status))
    responses[status] = { description: route.summary, headers }
    if (status !== '204') responses[status] = { ...responses[status], content: contentOf(route, schema, schemas) }
  }
  if (isVersioned(route)) {
    const description = 'Nothing has changed since the version that If-None-Match names'
    responses[304] = { description, headers: headersOf(route, 304) }
  }
  for (const [status, codes] of Map.groupBy(errorsOf(route), (code) => errorCodes[code].status)) {
    responses[status] = refusalOf(route, status, codes, components)
  }
  const parameters = parametersOf(route)
  return {
    operationId: route.name,
    summary: route.summary,
    description: descriptionOf(route),
    tags: [tagOf(route)],
    security: securityOf(route),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...requestBodyOf(route, schemas),
    responses,
  }
}

function contentOf(route: Route, answer: z.ZodType, schemas: Json): Json {
  if (isStream(route)) return { 'text/event-stream': eventsOf(route, schemas) }
  const schema = schemaOf(answer, 'output', schemas)
  const types = [route.responseType ?? 'application/json', ...(route.otherResponseTypes ?? [])]
  if (route.line) {
    const line = schemaOf(route.line, 'output', schemas)
    return Object.fromEntries(types.map((type) => [type, linesOf(route, type, { schema, line }, schemas)]))
  }
  return Object.fromEntries(
    types.map((type) => [type, { schema, example: answerExampleOf(route.name, type, schema, schemas) }]),
  )
}

/** OpenAPI 3.1 cannot describe the events of a stream, so their schemas go into an extension. */
function eventsOf({ name, events }: StreamContract, schemas: Json): Json {
  const data = Object.entries(events).map(([event, schema]) => [event, schemaOf(schema, 'output', schemas)])
  const names = Object.keys(events).map((event) => `\`${event}\``)
  return {
    schema: { type: 'string', description: `Server-sent events: ${names.join(', ')}. \`data\` is JSON.` },
    example: streamExampleOf(name),
    'x-events': Object.fromEntries(data),
  }
}

/** A file of lines, with the schema of a line where the lines are JSON. */
function linesOf(route: Route, type: string, { schema, line }: { schema: Json; line: Json }, schemas: Json): Json {
  const example = linesExampleOf(route, type, line, schemas)
  if (type !== 'application/x-ndjson') return { schema, example }
  return { schema: { ...schema, contentMediaType: type, contentSchema: line }, example }
}

/** The response for an error status. Responses shared by authenticated routes are in the components. */
function refusalOf(route: Route, status: number, codes: readonly ErrorCode[], components: Components): Json {
  for (const code of codes) components.examples[code] ??= problemExampleOf(code)
  const response = {
    description: codes.map((code) => `\`${code}\`: ${errorCodes[code].title}`).join('; '),
    headers: headersOf(route, status),
    content: {
      'application/problem+json': {
        schema: { $ref: '#/components/schemas/Problem' },
        examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
      },
    },
  }
  const [code, ...more] = codes
  if (code === undefined || more.length > 0 || !permissionsFor(route.auth)) return response
  components.responses[code] = response
  return { $ref: `#/components/responses/${code}` }
}

function descriptionOf({ auth }: Route): string {
  switch (auth.caller) {
    case 'key':
      return `Requires ${keyFor(auth.permission)} with the permission \`${auth.permission}\`.`
    case 'operator':
      return `Requires an operator's access token with the permission \`${auth.permission}\`.`
    case 'key or operator':
      return `Requires ${keyFor(auth.permissions.key)} with the permission \`${auth.permissions.key}\`, or an operator's access token with the permission \`${auth.permissions.operator}\`.`
    case 'any principal':
      return "Requires an API key or an operator's access token."
    case 'user':
      return "Requires an end user's token."
    case 'carrier':
      return 'Requires the signature of the carrier.'
    default:
      return 'Open to anyone.'
  }
}

const keyFor = (permission: KeyPermission) =>
  liveOnlyPermissions.includes(permission) ? 'a live API key' : 'an API key'

/** Security requirements of a route; a request must satisfy one of them (OpenAPI 3.1, Security Requirement Object). */
function securityOf({ auth }: Route): Json[] {
  if (auth.caller === 'user') return [{ user: [] }]
  const schemes = { key: 'apiKey', operator: 'operator' } as const
  return Object.keys(permissionsFor(auth) ?? {}).map((kind) => ({ [schemes[kind as keyof typeof schemes]]: [] }))
}

function requestBodyOf(route: Route, schemas: Json): Json {
  if (route.bodyType === 'raw') {
    const { requestType: type = 'application/x-www-form-urlencoded' } = route
    const schema = { type: type === 'text/plain' ? 'string' : 'object' }
    const example = requestExampleOf(route)
    return { requestBody: { required: true, content: { [type]: { schema, example } } } }
  }
  if (!route.body) return {}
  return {
    requestBody: {
      required: true,
      content: {
        'application/json': { schema: schemaOf(route.body, 'input', schemas), example: requestExampleOf(route) },
      },
    },
  }
}

/** Named schemas, and named parts of others, go to the components and are referenced. */
function schemaOf(schema: z.ZodType, io: 'input' | 'output', schemas: Json): Json {
  const { $schema: _, $defs = {}, ...json } = z.toJSONSchema(schema, { io, unrepresentable: 'any', reused: 'inline' })
  for (const [local, part] of Object.entries($defs)) {
    const { id: _id, $id: _$id, ...rest } = part as Json
    schemas[componentName(local)] = toComponents(rest)
  }
  return toComponents(json)
}

/** Rewrites zod's references into one schema to references into the components, and resolves an `allOf` of one. */
function toComponents(json: Json): Json {
  const text = JSON.stringify(json).replace(
    /"#\/\$defs\/([^"]+)"/g,
    (_, local: string) => `"#/components/schemas/${componentName(local)}"`,
  )
  return JSON.parse(text, (_, value) => {
    if (value?.allOf?.length !== 1) return value
    const { allOf, ...rest } = value
    return { ...allOf[0], ...rest }
  })
}

/** The only unnamed part that references itself is `z.json()`. */
function componentName(local: string): string {
  return local.startsWith('__') ? 'JsonValue' : local
}
