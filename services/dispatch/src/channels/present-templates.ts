import type { Channel, EventTemplates } from '@notify/contracts'
import type { Channels } from './channel.ts'
import type { ChannelTemplate } from './channel-template.ts'

export interface PresentTemplate {
  name: Channel
  definition: ChannelTemplate<unknown>
  template: unknown
}

/** The templates of a set, each with the definition of its channel. */
export function presentTemplates(channels: Channels, templates: EventTemplates): PresentTemplate[] {
  return Object.values(channels).flatMap(({ name, template: definition }) =>
    templates[name] ? [{ name, definition, template: templates[name] }] : [],
  )
}
