import { escaped } from '../preference-page/escape-html.ts'
import { docsPage, type Entry, type Section } from './frame.ts'
import { type Field, listFields, typeOf } from './list-fields.ts'
import type { Answer, OpenApi, Operation } from './openapi.ts'
import type { Page } from './page.ts'

/** The areas that a new caller needs, before the others by name. */
const first = ['notifications', 'otp', 'in-app', 'inbox', 'whatsapp', 'webhook-subscriptions', 'users', 'preferences']

export const referencePath = '/docs/reference'

/** The areas of the API, notifications first. */
export function areasOf({ tags }: OpenApi): Entry[] {
  const rank = (name: string) => (first.includes(name) ? first.indexOf(name) : first.length)
  return tags
    .map(({ name }) => name)
    .sort((a, b) => rank(a) - rank(b) || a.localeCompare(b))
    .map((name) => ({ path: `${referencePath}/${name}`, title: name }))
}

interface Route {
  method: string
  path: string
  operation: Operation
}

const routesOf = ({ paths }: OpenApi, area: string): Route[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { tags }]) => tags[0] === area)
      .map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )

const text = (markdown: string) => escaped(markdown).replaceAll(/`([^`]*)`/g, '<code>$1</code>')

/** All areas with their routes. */
export function overviewPage(document: OpenApi, sections: readonly Section[]): Page {
  const parts = areasOf(document).map(({ path, title }) => {
    const routes = routesOf(document, title).map(
      ({ method, path: route, operation }) =>
        `<tr><td><span class="method">${method}</span></td><td><a href="${path}#${operation.operationId}"><code>${route}</code></a></td><td>${text(operation.summary)}</td></tr>`,
    )
    return (
      `<h2><a href="${path}">${title}</a></h2><p>${text(document.tags.find(({ name }) => name === title)!.description)}</p>` +
      `<table><thead><tr><th>Method</th><th>Path</th><th>Purpose</th></tr></thead><tbody>${routes.join('')}</tbody></table>`
    )
  })
  const lead = '<p>For programs: the <a href="/content/openapi.json">OpenAPI document</a>.</p>'
  return docsPage(
    sections,
    { path: referencePath, title: 'API reference' },
    `<h1>API reference</h1>${lead}${parts.join('')}`,
  )
}

/** The routes of an area with their fields, examples and errors. */
export function areaPage(document: OpenApi, sections: readonly Section[], area: string): Page {
  const { description } = document.tags.find(({ name }) => name === area)!
  const routes = routesOf(document, area).map((route) => describeRoute(document, route))
  const body = `<h1>${area}</h1><p>${text(description)}</p>${routes.join('')}`
  return docsPage(sections, { path: `${referencePath}/${area}`, title: area }, body)
}

function describeRoute(document: OpenApi, { method, path, operation }: Route): string {
  const answers = Object.entries(operation.responses).map(
    ([status, answer]) => [status, resolved(document, answer)] as const,
  )
  const success = answers.filter(([status]) => status < '300')
  return [
    `<section><h2 id="${operation.operationId}">${text(operation.summary)}</h2>`,
    `<p><span class="method">${method}</span> <code>${path}</code></p>`,
    operation.description ? `<p>${text(operation.description)}</p>` : '',
    fieldList('Parameters', parametersOf(document, operation)),
    describeBody(document, operation),
    ...success.map(([status, answer]) => describeAnswer(document, status, answer)),
    describeErrors(answers.filter(([status]) => status >= '400')),
    '</section>',
  ].join('')
}

const resolved = ({ components }: OpenApi, answer: Answer): Answer =>
  answer.$ref ? components.responses[answer.$ref.split('/').at(-1)!]! : answer

const parametersOf = (document: OpenApi, { parameters = [] }: Operation): Field[] =>
  parameters.map(({ name, in: place, required = false, description = '', schema }) => {
    const type = `${place}, ${typeOf(document, schema)}`
    return { path: name, type, required, description }
  })

function fieldList(title: string, fields: readonly Field[]): string {
  if (fields.length === 0) return ''
  const list = fields.map(
    ({ path, type, required, description }) =>
      `<dt><code>${escaped(path)}</code> <span>${escaped(type)}${required ? ', required' : ''}</span></dt><dd>${text(description)}</dd>`,
  )
  return `<h3>${title}</h3><dl>${list.join('')}</dl>`
}

const exampleOf = (example: unknown) => `<pre><code>${escaped(JSON.stringify(example, null, 2))}</code></pre>`

function describeBody(document: OpenApi, { requestBody }: Operation): string {
  const content = requestBody?.content['application/json']
  if (!content) return ''
  const example = content.example === undefined ? '' : `<h3>Example of a body</h3>${exampleOf(content.example)}`
  return example + fieldList('Body', content.schema ? listFields(document, content.schema) : [])
}

function describeAnswer(document: OpenApi, status: string, { content }: Answer): string {
  const [type, { schema, example } = {}] = Object.entries(content ?? {})[0] ?? []
  if (type === undefined) return `<h3>Answer ${status}</h3><p>Without a body.</p>`
  const shown = example === undefined ? `<p><code>${type}</code></p>` : exampleOf(example)
  const fields = type === 'application/json' && schema ? listFields(document, schema) : []
  const list = fieldList('', fields).replace('<h3></h3>', '')
  return `<h3>Answer ${status}</h3>${shown}${list === '' ? '' : `<details><summary>Fields of the answer</summary>${list}</details>`}`
}

function describeErrors(answers: readonly (readonly [string, Answer])[]): string {
  const codes = answers.flatMap(([status, { content }]) =>
    Object.keys(content?.['application/problem+json']?.examples ?? {}).map((code) => [status, code] as const),
  )
  if (codes.length === 0) return ''
  const links = codes.map(([status, code]) => `${status} <a href="/docs/errors/${code}"><code>${code}</code></a>`)
  return `<details><summary>Errors</summary><p>${links.join(', ')}</p></details>`
}
