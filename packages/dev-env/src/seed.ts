import { type BootstrapDocument, Channel, exampleTemplates, KeyPermission } from '@notify/contracts'
import { demoChannels } from './channels/table.ts'
import type { State } from './state/state.ts'

const outOfTheWay = 100_000

/**
 * What the demo installation starts with: gateway and dispatch read it (BOOTSTRAP_FILE) and upsert the part that each
 * owns. It depends on the secrets and the ports only, so that every start writes the same.
 * @param shopOrigins origins of the demo shop's own pages
 */
export function bootstrapDocument(state: State, shopOrigins: readonly string[] = []): BootstrapDocument {
  const { tenant_id, application_id, keys } = state
  const allowed_origins = ['http://localhost:5173', ...shopOrigins]
  const key = (name: string, { key_id, sha256 }: State['keys']['all'], permissions: KeyPermission[]) => ({
    key_id,
    tenant_id,
    application_id,
    name,
    mode: 'live' as const,
    permissions,
    sha256,
    rate_limit_per_second: outOfTheWay,
  })
  return {
    tenants: [{ tenant_id, name: 'Demo', rate_limit_per_second: outOfTheWay }],
    applications: [{ application_id, tenant_id, name: 'Demo Shop', allowed_origins }],
    api_keys: [
      key('All permissions', keys.all, [...KeyPermission.options]),
      key('Send only', keys.send_only, ['notifications:send']),
      key('No permissions', keys.no_permissions, []),
    ],
    topics: demoTopics.map((topic) => ({ tenant_id, application_id, ...topic })),
    events: demoEvents.map((event) => ({ tenant_id, application_id, version: 1, ...event })),
    providers: demoChannels.flatMap(([channel, { accounts }]) =>
      accounts(state).map((account) => ({ ...account, tenant_id, application_id: null, channel })),
    ),
  }
}

type DemoEvent = Omit<BootstrapDocument['events'][number], 'tenant_id' | 'application_id' | 'version'>

const demoEvents: DemoEvent[] = [
  {
    event_key: 'order.shipped',
    name: 'Order shipped',
    status: 'published',
    allowed_channels: Channel.options,
    templates: exampleTemplates,
  },
  ...demoChannels.flatMap(([channel, { events = [] }]) =>
    events.map(({ template, ...event }) => ({
      ...event,
      allowed_channels: [channel],
      templates: { [channel]: template },
    })),
  ),
]

/** What recipients of the demo shop may switch off: on the channels of the events that name it. */
const demoTopics: Omit<BootstrapDocument['topics'][number], 'tenant_id' | 'application_id'>[] = [
  {
    topic_key: 'weekly-offers',
    name: 'Weekly offers',
    description: 'New products and discounts',
    kind: 'on',
    channels: demoEvents.filter(({ topic }) => topic === 'weekly-offers').flatMap((event) => event.allowed_channels),
    position: 0,
    translations: { de: { name: 'Angebote der Woche', description: 'Neues und Rabatte' } },
  },
]
