import type { DispatchRequest, EventTemplates, WebhookPayload } from '@notify/contracts'
import { fieldProblem } from '@notify/service-kit'
import type { Fill } from '@notify/templates'
import { fillTemplate } from '../channel-template.ts'
import { faultInside } from '../text-fault.ts'
import { webhookTemplate } from './template.ts'

/**
 * Makes the `data` that the receiver gets: the template's JSON with its texts filled; or the request's own content, its
 * `data` and `body`.
 * @throws Problem `validation_failed` or `template_variable_missing`, naming the field
 */
export async function composeWebhook(
  request: DispatchRequest,
  webhook: EventTemplates['webhook'],
  fill: Fill,
): Promise<WebhookPayload['data']> {
  const field = webhook && request.event_key !== undefined ? 'data' : 'template_data'
  const data = await contentOf(request, webhook, field, fill)
  // The request held none of it, but a template's filters can make it.
  const fault = faultInside(data, 'data')
  if (fault) throw fieldProblem('validation_failed', field, `gives a ${fault}`)
  return data
}

async function contentOf(
  request: DispatchRequest,
  webhook: EventTemplates['webhook'],
  field: 'data' | 'template_data',
  fill: Fill,
): Promise<WebhookPayload['data']> {
  const { event_key, body, data = {}, template_data } = request
  if (!webhook) {
    if (Object.hasOwn(data, 'body'))
      throw fieldProblem('validation_failed', 'data.body', 'cannot be combined with body')
    if (template_data === undefined || body === undefined)
      return { ...(data as WebhookPayload['data']), body: body ?? '' }
    const template = { form: 'text', template: body, field: 'template_data', part: 'body' } as const
    const [text = ''] = await fill([template], template_data)
    return { ...(data as WebhookPayload['data']), body: text }
  }
  if (event_key === undefined && request.data !== undefined)
    throw fieldProblem('validation_failed', 'data', 'cannot be combined with template_id; use template_data')
  return (await fillTemplate(webhookTemplate, webhook, field, request[field] ?? {}, fill)).data
}
