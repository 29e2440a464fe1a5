import type { Channel, Templates } from '../channels/channel.ts'
import { pretty } from '../channels/json-text.ts'
import { channelNames, channelPages, channels, namesOf } from '../channels/table.ts'
import { compareTexts, type Difference, type Named } from '../edits/compare-texts.ts'

/** The content of an event or of a stored template. */
export interface Templated {
  name: string
  /** For a stored template: the name of the application that may use it. */
  application?: string
  allowed_channels?: readonly Channel[]
  templates: Templates
}

/** The texts that differ between two contents; `before` is undefined when there is none. */
export function compare(before: Templated | undefined, after: Templated): Difference[] {
  return compareTexts(before ? textsOf(before) : [], textsOf(after))
}

/** Every text of a content with its name, in the order of the editor. */
export function textsOf({ name, application, allowed_channels, templates }: Templated): Named[] {
  return [
    ['Name', name],
    ...(application === undefined ? [] : [['Application', application] as Named]),
    ...(allowed_channels ? [['Channels', namesOf(allowed_channels)] as Named] : []),
    ...channels.flatMap((channel) =>
      templates[channel] ? named(channel, channelPages[channel].partsOf(templates[channel])) : [],
    ),
  ]
}

function named(channel: Channel, parts: Record<string, unknown>): Named[] {
  return Object.entries(parts)
    .filter(([, value]) => value !== undefined)
    .map(([part, value]) => [`${channelNames[channel]} ${part}`, typeof value === 'string' ? value : pretty(value)])
}
