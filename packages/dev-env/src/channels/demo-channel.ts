import type { BootstrapDocument, Channel, EventTemplates } from '@notify/contracts'
import type { State } from '../state/state.ts'

type Event = BootstrapDocument['events'][number]
type Provider = BootstrapDocument['providers'][number]

/** What the demo installation has of one channel, beside the event that goes by all of them. */
export interface DemoChannel<C extends Channel = Channel> {
  /** Accounts at the sandbox. */
  accounts(state: State): Omit<Provider, 'tenant_id' | 'application_id' | 'channel'>[]
  events?: (Pick<Event, 'event_key' | 'name' | 'status' | 'topic'> & { template: NonNullable<EventTemplates[C]> })[]
}
