import type { Channel, EventTemplates } from '@notify/contracts'
import { Problem } from '@notify/service-kit'
import type { Fill, Renderer } from '@notify/templates'
import type { Channels } from '../../channels/channel.ts'
import { type ChannelTemplate, textsOf, type VariablesField } from '../../channels/channel-template.ts'
import { presentTemplates } from './present-templates.ts'

/** Total time limit of a preview, in milliseconds; each text has its own limit. */
const longestMs = 1000

interface Preview {
  /** All channels when undefined. */
  channel: Channel | undefined
  field: VariablesField
  variables: Record<string, unknown>
}

/**
 * Renders templates as a send would.
 * @throws Problem `validation_failed`, `template_variable_missing` or `rate_limited`
 */
export async function renderPreview(
  { renderer, channels }: { renderer: Renderer; channels: Channels },
  tenantId: string,
  templates: EventTemplates,
  { channel, field, variables }: Preview,
): Promise<EventTemplates> {
  const endsAt = performance.now() + longestMs
  const fill: Fill = (texts, values) => {
    if (performance.now() > endsAt) throw new Problem('validation_failed', 'The template takes too long to render')
    return renderer.fill(tenantId, texts, values)
  }
  const rendered: EventTemplates = {}
  for (const { name, definition, template } of presentTemplates(channels, chosen(templates, channel))) {
    const preview = definition.preview ?? ((...rest) => fillEach(definition, ...rest))
    Object.assign(rendered, { [name]: await preview(template, field, variables, fill) })
  }
  return rendered
}

/** One text at a time, so that the time limit is checked between them. */
async function fillEach<T>(
  definition: ChannelTemplate<T>,
  template: T,
  field: VariablesField,
  variables: Record<string, unknown>,
  fill: Fill,
): Promise<T> {
  const filled: string[] = []
  for (const { form, template: text } of textsOf(definition, template)) {
    filled.push(...(await fill([{ form, template: text, field }], variables)))
  }
  return definition.map(template, () => filled.shift() ?? '')
}

function chosen(templates: EventTemplates, channel: Channel | undefined): EventTemplates {
  if (channel === undefined) return templates
  if (templates[channel]) return { [channel]: templates[channel] }
  throw new Problem('validation_failed', `The template has no content for ${channel}`, {
    errors: [{ path: 'channel', message: 'is not a channel of the template' }],
  })
}
