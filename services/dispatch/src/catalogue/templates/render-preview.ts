import type { Channel, EventTemplates } from '@notify/contracts'
import { Problem } from '@notify/service-kit'
import type { Fill, NamedTemplate, Renderer } from '@notify/templates'
import { composeEmail } from '../../channels/email/compose.ts'
import { mapTemplates, textsOf } from '../../channels/map-templates.ts'

/** Total time limit of a preview, in milliseconds; each text has its own limit. */
const longestMs = 1000

interface Preview {
  /** All channels when undefined. */
  channel: Channel | undefined
  /** The field of the request with the variables, which errors name. */
  field: NamedTemplate['field']
  variables: Record<string, unknown>
}

/**
 * Renders templates as a send would.
 * @throws Problem `validation_failed`, `template_variable_missing` or `rate_limited`
 */
export async function renderPreview(
  renderer: Renderer,
  tenantId: string,
  templates: EventTemplates,
  { channel, field, variables }: Preview,
): Promise<EventTemplates> {
  const { email, ...others } = channel === undefined ? templates : onlyChannel(templates, channel)
  const fill: Fill = (texts, values) => renderer.fill(tenantId, texts, values)
  const endsAt = performance.now() + longestMs
  const filled: string[] = []
  for (const { form, template } of textsOf(others)) {
    if (performance.now() > endsAt) throw new Problem('validation_failed', 'The template takes too long to render')
    filled.push(...(await fill([{ form, template, field }], variables)))
  }
  const rendered = mapTemplates(others, () => filled.shift() ?? '')
  return email ? { ...rendered, email: await fillEmail(email, field, variables, fill) } : rendered
}

function onlyChannel(templates: EventTemplates, channel: Channel): EventTemplates {
  if (templates[channel]) return { [channel]: templates[channel] }
  throw new Problem('validation_failed', `The template has no content for ${channel}`, {
    errors: [{ path: 'channel', message: 'is not a channel of the template' }],
  })
}

/** As a send renders it, with the rules for subjects and texts. */
async function fillEmail(
  email: NonNullable<EventTemplates['email']>,
  field: Preview['field'],
  variables: Record<string, unknown>,
  fill: Fill,
) {
  const form = field === 'data' ? { event_key: 'preview' } : {}
  const request = { recipient: 'somebody@example.com', ...form, [field]: variables as Record<string, never> }
  const { subject, text, html } = await composeEmail(request, email, fill)
  return { subject, body: text, ...(html === undefined ? {} : { html_body: html }) }
}
