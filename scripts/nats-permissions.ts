// What the NATS user of each service may do: it follows from the events that the service publishes and consumes.
import type { ServiceName } from '../packages/contracts/src/index.ts'
import {
  inboxPrefix,
  natsPasswordVariable,
  serviceNames,
  streams,
  subjectFilter,
  wakeSubject,
} from '../packages/contracts/src/index.ts'
import { type Consumer, consumersOf, events } from './service-declarations.ts'

export interface Durable {
  stream: string
  name: string
  filter: string
}

export interface Permissions {
  publish: string[]
  subscribe: string[]
}

/** Services that ask how old the oldest work in their own stream is, their own and what others take. */
const readsOwnStream: readonly ServiceName[] = ['dispatch']

/** The durables of a service. A name that the source computes from fields of the event stands for one of each value. */
export function durablesOf(service: ServiceName): Durable[] {
  return consumersOf(service).flatMap((consumer) =>
    valuesOf(consumer).map((values) => {
      const fill = (text: string) => text.replace(/<(\w+)>/g, (_, field: string) => values[field]!)
      return { stream: streams[consumer.publisher].name, name: fill(consumer.durable), filter: fill(consumer.filter) }
    }),
  )
}

/** The subjects of the events that a service publishes, with `*` for fields. */
export function publishedBy(service: ServiceName): string[] {
  const own = [...events().values()].filter(({ publisher }) => publisher === service)
  return own.map((event) => subjectFilter(event))
}

/** Everything that a service may publish and subscribe to; the rest is refused by the server. */
function permissionsOf(service: ServiceName): Permissions {
  const stream = streams[service].name
  return {
    publish: [
      ...publishedBy(service),
      wakeSubject(service),
      // No UPDATE: it would let a stream copy another's messages, or republish its own as another's. CREATE leaves one alone
      // that is there, and makes it again after NATS has lost its store.
      ...['CREATE', 'INFO'].map((verb) => `$JS.API.STREAM.${verb}.${stream}`),
      ...(readsOwnStream.includes(service)
        ? [`$JS.API.STREAM.MSG.GET.${stream}`, `$JS.API.CONSUMER.INFO.${stream}.*`]
        : []),
      ...[...new Set(durablesOf(service).map(({ stream }) => stream))]
        .filter((consumed) => consumed !== stream)
        // MSG.GET tells whether a message that was delivered is still there; what is secret in a stream is sealed.
        .flatMap((consumed) => [`$JS.API.STREAM.INFO.${consumed}`, `$JS.API.STREAM.MSG.GET.${consumed}`]),
      ...durablesOf(service).flatMap(requestsOf),
    ],
    subscribe: [wakeSubject(service), `${inboxPrefix(service)}.>`],
  }
}

/** The filter is part of the subject that makes a durable: the server refuses one that would hear anything else. */
function requestsOf({ stream, name, filter }: Durable): string[] {
  return [
    `$JS.API.CONSUMER.CREATE.${stream}.${name}.${filter}`,
    `$JS.API.CONSUMER.INFO.${stream}.${name}`,
    `$JS.API.CONSUMER.DELETE.${stream}.${name}`,
    `$JS.API.CONSUMER.MSG.NEXT.${stream}.${name}`,
    `$JS.ACK.${stream}.${name}.>`,
  ]
}

/** All values that the computed fields of a consumer can have, together. */
function valuesOf({ event, durable, filter }: Consumer): Record<string, string>[] {
  const fields = new Set([...`${durable} ${filter}`.matchAll(/<(\w+)>/g)].map(([, field]) => field!))
  let all: Record<string, string>[] = [{}]
  for (const field of fields) {
    const options = optionsOf(event, field)
    all = all.flatMap((values) => options.map((option) => ({ ...values, [field]: option })))
  }
  return all
}

/** @throws Error when the field is not one of a few known values */
function optionsOf(event: string, field: string): readonly string[] {
  const { shape } = events().get(event)!.schema as { shape?: Record<string, { options?: readonly string[] }> }
  const options = shape?.[field]?.options
  if (!options) throw new Error(`${event}: the field ${field} is part of a durable's name and must be an enum`)
  return options
}

/** The `authorization` block of nats-server: one user for each service, and `admin`, who may do everything. */
export function natsAuthorization(): string {
  const users = serviceNames.map((service) => {
    const { publish, subscribe } = permissionsOf(service)
    const list = (subjects: string[]) => subjects.map((subject) => `          ${JSON.stringify(subject)}`).join('\n')
    return `    {
      user: ${JSON.stringify(service)}
      password: $${natsPasswordVariable(service)}
      permissions: {
        publish: { allow: [
${list(publish)}
        ] }
        subscribe: { allow: [
${list(subscribe)}
        ] }
      }
    }`
  })
  return `# Made by npm run generate from the declared events and consumers: what each service may do, and nothing else.
# nats-server takes the passwords from its environment and reads them as configuration: put them between double quotes.
authorization {
  users: [
${users.join('\n')}
    # For operators and their tools: may do everything.
    { user: "admin", password: $${natsPasswordVariable('admin')} }
  ]
}
`
}
