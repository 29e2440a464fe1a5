import type { Channel, previewTemplate as contract, EventTemplates } from '@notify/contracts'
import { idempotentAnswer } from '@notify/database'
import { type Handler, Problem, Reply } from '@notify/service-kit'
import { composeEmail } from '../accept/compose-email.ts'
import type { Context } from '../context.ts'
import { renderHtml, renderText } from '../events/render-template.ts'
import { describeWhole } from './describe-template.ts'
import { mapTemplates } from './map-templates.ts'
import { findTemplate } from './template-store.ts'

/** Time that a preview may take in all, in milliseconds; a single text has a limit of its own. */
const longestMs = 250

/** Shows what a template says with these variables. */
export const previewTemplate: Handler<Context, typeof contract> = idempotentAnswer(
  async ({ db }, { body, params, principal }) => {
    const { template_id, version, templates } = describeWhole(
      await findTemplate(db.run, principal.tenant_id, params.template_id),
    )
    const { channel, template_data } = body
    const chosen = channel === undefined ? templates : onlyChannel(templates, channel)
    return new Reply(200, JSON.stringify({ template_id, version, rendered: fillAll(chosen, template_data) }))
  },
)

function onlyChannel(templates: EventTemplates, channel: Channel): EventTemplates {
  if (templates[channel]) return { [channel]: templates[channel] }
  throw new Problem('validation_failed', `The template has no part for ${channel}`, {
    errors: [{ path: 'channel', message: 'is none of the channels of the template' }],
  })
}

function fillAll({ email, ...others }: EventTemplates, variables: Record<string, unknown>): EventTemplates {
  const endsAt = performance.now() + longestMs
  const options = { field: 'template_data', remember: false } as const
  const rendered = mapTemplates(others, (template, form) => {
    if (performance.now() > endsAt) throw new Problem('validation_failed', 'The template takes too long to fill')
    return (form === 'html' ? renderHtml : renderText)(template, variables, options)
  })
  return email ? { ...rendered, email: fillEmail(email, variables) } : rendered
}

/** As a send would make it, with the rules for subjects and texts. */
function fillEmail(email: NonNullable<EventTemplates['email']>, template_data: Record<string, unknown>) {
  const request = { recipient: 'somebody@example.com', template_data: template_data as Record<string, never> }
  const { subject, text, html } = composeEmail(request, email)
  return { subject, body: text, ...(html === undefined ? {} : { html_body: html }) }
}
