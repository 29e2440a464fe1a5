// Generates each service's NATS permissions from the events that it publishes and consumes.

import {
  endpointWakeSubject,
  inboxPrefix,
  liveSubject,
  natsPasswordVariable,
  type ServiceName,
  sendWakeSubject,
  serviceNames,
  streams,
  subjectFilter,
  wakeSubject,
} from '@notify/contracts'
import { allEvents } from '@notify/contracts/catalogue'
import { consumersOf } from './service-declarations.ts'

export interface Durable {
  stream: string
  name: string
  filter: string
}

export interface Permissions {
  publish: string[]
  subscribe: string[]
}

/** Services that query how far the durables of their own stream are. */
const asksItsDurables: readonly ServiceName[] = ['dispatch']

/** Subjects beside streams on which replicas of a service talk to each other. */
const ownSubjects: Partial<Record<ServiceName, readonly string[]>> = {
  dispatch: [sendWakeSubject('*', '*')],
  'webhook-delivery': [endpointWakeSubject],
  'inbox-stream': [liveSubject({ tenant_id: '*', application_id: '*', inbox_key: '*' })],
}

/** The durables of a service. */
export async function durablesOf(service: ServiceName): Promise<Durable[]> {
  const consumers = await consumersOf(service)
  return consumers.map(({ publisher, durable, filter }) => ({ stream: streams[publisher].name, name: durable, filter }))
}

/** The subjects that a service publishes, with `*` for fields. */
export function publishedBy(service: ServiceName): string[] {
  const own = [...allEvents().values()].filter(({ publisher }) => publisher === service)
  return own.map((event) => subjectFilter(event))
}

/** The subjects that a service may publish and subscribe to; the server refuses others. */
async function permissionsOf(service: ServiceName): Promise<Permissions> {
  const stream = streams[service].name
  const durables = await durablesOf(service)
  return {
    publish: [
      ...publishedBy(service),
      wakeSubject(service),
      ...(ownSubjects[service] ?? []),
      // No UPDATE: it could make a stream copy or republish another's messages.
      // CREATE recreates a stream after NATS has lost its store; PURGE empties one that NATS cannot read.
      ...['CREATE', 'INFO', 'PURGE'].map((verb) => `$JS.API.STREAM.${verb}.${stream}`),
      // `erase-recipient` deletes what every durable has handled.
      ...['STREAM.MSG.GET', 'STREAM.MSG.DELETE', 'CONSUMER.LIST'].map((verb) => `$JS.API.${verb}.${stream}`),
      ...(asksItsDurables.includes(service) ? [`$JS.API.CONSUMER.INFO.${stream}.*`] : []),
      ...[...new Set(durables.map(({ stream }) => stream))]
        .filter((consumed) => consumed !== stream)
        // MSG.GET checks whether a delivered message still exists; secrets in streams are sealed.
        .flatMap((consumed) => [`$JS.API.STREAM.INFO.${consumed}`, `$JS.API.STREAM.MSG.GET.${consumed}`]),
      ...durables.flatMap(requestsOf),
    ],
    subscribe: [wakeSubject(service), ...(ownSubjects[service] ?? []), `${inboxPrefix(service)}.>`],
  }
}

/** The create subject contains the filter, so that the server refuses other filters. */
function requestsOf({ stream, name, filter }: Durable): string[] {
  return [
    `$JS.API.CONSUMER.CREATE.${stream}.${name}.${filter}`,
    `$JS.API.CONSUMER.INFO.${stream}.${name}`,
    `$JS.API.CONSUMER.DELETE.${stream}.${name}`,
    `$JS.API.CONSUMER.MSG.NEXT.${stream}.${name}`,
    `$JS.ACK.${stream}.${name}.>`,
  ]
}

/** The `authorization` block of nats-server: one user per service, and `admin` with all permissions. */
export async function natsAuthorization(): Promise<string> {
  const permissions = await Promise.all(serviceNames.map(permissionsOf))
  const users = serviceNames.map((service, at) => {
    const { publish, subscribe } = permissions[at]!
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
