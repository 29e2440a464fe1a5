import type { Channel, previewTemplate as contract, EventTemplates } from '@notify/contracts'
import { idempotentAnswer } from '@notify/database'
import { type Handler, Problem, Reply } from '@notify/service-kit'
import { composeEmail } from '../channels/email/compose.ts'
import type { ApiContext } from '../context.ts'
import type { Fill } from '../rendering/create-renderer.ts'
import { describeWhole } from './describe-template.ts'
import { mapTemplates, textsOf } from './map-templates.ts'
import { findTemplate } from './template-store.ts'

/** Total time limit of a preview, in milliseconds; each text has its own limit. */
const longestMs = 1000

/** Renders a template with the given variables. */
export const previewTemplate: Handler<ApiContext, typeof contract> = idempotentAnswer(
  async ({ db, renderer }, { body, params, principal }) => {
    const { template_id, version, templates } = describeWhole(
      await findTemplate(db.run, principal.tenant_id, params.template_id),
    )
    const { channel, template_data } = body
    const chosen = channel === undefined ? templates : onlyChannel(templates, channel)
    const fill: Fill = (texts, variables) => renderer.fill(principal.tenant_id, texts, variables)
    const rendered = await fillAll(chosen, template_data, fill)
    return new Reply(200, JSON.stringify({ template_id, version, rendered }))
  },
)

function onlyChannel(templates: EventTemplates, channel: Channel): EventTemplates {
  if (templates[channel]) return { [channel]: templates[channel] }
  throw new Problem('validation_failed', `The template has no content for ${channel}`, {
    errors: [{ path: 'channel', message: 'is not a channel of the template' }],
  })
}

async function fillAll(
  { email, ...others }: EventTemplates,
  variables: Record<string, unknown>,
  fill: Fill,
): Promise<EventTemplates> {
  const endsAt = performance.now() + longestMs
  const filled: string[] = []
  for (const { form, template } of textsOf(others)) {
    if (performance.now() > endsAt) throw new Problem('validation_failed', 'The template takes too long to render')
    filled.push(...(await fill([{ form, template, field: 'template_data' }], variables)))
  }
  const rendered = mapTemplates(others, () => filled.shift() ?? '')
  return email ? { ...rendered, email: await fillEmail(email, variables, fill) } : rendered
}

/** As a send renders it, with the rules for subjects and texts. */
async function fillEmail(
  email: NonNullable<EventTemplates['email']>,
  template_data: Record<string, unknown>,
  fill: Fill,
) {
  const request = { recipient: 'somebody@example.com', template_data: template_data as Record<string, never> }
  const { subject, text, html } = await composeEmail(request, email, fill)
  return { subject, body: text, ...(html === undefined ? {} : { html_body: html }) }
}
