// Generates routes, events, tables and configuration in services/<name>/README.md.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { schemaOf, serviceNames, streams } from '@notify/contracts'
import { allEvents, allRoutes } from '@notify/contracts/catalogue'
import { markdownTable } from './markdown.ts'
import { consumersOf, sharedTablesOf, tablesOf, variablesOf } from './service-declarations.ts'

const root = join(import.meta.dirname, '..')
const begin = '<!-- generated from the declarations: npm run generate -->'
const end = '<!-- end of the generated part -->'

/**
 * The READMEs of all services; replaces the text between the markers.
 * @returns {Promise<Record<string, string>>} text by path, relative to the root
 */
export async function serviceReadmes() {
  const files = await Promise.all(
    serviceNames.map(async (service) => {
      const path = `services/${service}/README.md`
      return [path, replaceGenerated(path, readFileSync(join(root, path), 'utf8'), await generatedPart(service))]
    }),
  )
  return Object.fromEntries(files)
}

function replaceGenerated(path, text, generated) {
  const [from, to] = [text.indexOf(begin), text.indexOf(end)]
  if (from === -1 || to < from) throw new Error(`${path} lacks the lines ${begin} and ${end}`)
  return `${text.slice(0, from + begin.length)}\n\n${generated}\n\n${text.slice(to)}`
}

async function generatedPart(service) {
  const sections = [
    ['Routes', routesSection(service)],
    ['Events', await eventsSection(service)],
    ['Tables', await tablesSection(service)],
    ['Configuration', await configurationSection(service)],
  ]
  return sections.map(([title, body]) => `## ${title}\n\n${body}`).join('\n\n')
}

function routesSection(service) {
  const own = allRoutes().filter((route) => route.service === service)
  if (own.length === 0) return 'None yet.'
  return markdownTable(
    ['Method and path', 'Caller', 'What it does'],
    own.map(({ method, path, auth, summary }) => [`\`${method} ${path}\``, callerOf(auth), summary]),
  )
}

function callerOf(auth) {
  switch (auth.caller) {
    case 'key':
      return `API key, \`${auth.permission}\``
    case 'operator':
      return `operator, \`${auth.permission}\``
    case 'key or operator':
      return `API key, \`${auth.permissions.key}\`; or operator, \`${auth.permissions.operator}\``
    case 'any principal':
      return 'API key or operator'
    case 'carrier':
      return 'carrier, by its signature'
    case 'service':
      return `other services, \`${auth.permission}\``
    case 'internal':
      return 'other services'
    default:
      return auth.caller
  }
}

async function eventsSection(service) {
  const { name } = streams[service]
  const published = [...allEvents()].filter(([, { publisher }]) => publisher === service)
  const consumed = await consumersOf(service)
  const publishes =
    published.length === 0
      ? `Publishes nothing yet; its stream is \`${name}\`.`
      : `Publishes on its stream \`${name}\`:\n\n${markdownTable(
          ['Event', 'Subject'],
          published.map(([event, { subject }]) => [`\`${event}\``, `\`${subject}\``]),
        )}`
  const consumes =
    consumed.length === 0
      ? 'Consumes nothing yet.'
      : `Consumes:\n\n${markdownTable(
          ['Durable', 'Event', 'Subject', 'From'],
          consumed.map(({ durable, event, filter, publisher }) => [
            `\`${durable}\``,
            `\`${event}\``,
            `\`${filter}\``,
            publisher,
          ]),
        )}`
  return `${publishes}\n\n${consumes}`
}

async function tablesSection(service) {
  const own = await tablesOf(service)
  const shared = await sharedTablesOf(service)
  const schema = schemaOf(service)
  if (own.length + shared.length === 0) return `None yet; its schema is \`${schema}\`.`
  const listed = own.map(({ name, columns }) => `- \`${name}\`: ${columns.join(', ')}`).join('\n')
  const besides = `Of [packages/database](../../packages/database/README.md): ${shared.map((name) => `\`${name}\``).join(', ')}.`
  return [
    `In the schema \`${schema}\`:`,
    ...(own.length > 0 ? [listed] : []),
    ...(shared.length > 0 ? [besides] : []),
  ].join('\n\n')
}

async function configurationSection(service) {
  const variables = await variablesOf(service)
  return markdownTable(
    ['Variable', 'Meaning', 'Default'],
    variables.map(({ name, meaning, fallback, required, choices }) => {
      const untold = choices.filter((choice) => !meaning.includes(`\`${choice}\``))
      const oneOf = untold.length > 0 ? `: ${choices.map((choice) => `\`${choice}\``).join(', ')}` : ''
      const byDefault = fallback === undefined ? (required ? '**required**' : 'none') : `\`${fallback}\``
      return [`\`${name}\``, meaning + oneOf, byDefault]
    }),
  )
}
