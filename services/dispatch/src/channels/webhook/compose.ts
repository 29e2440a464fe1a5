import type { DispatchRequest, EventTemplates, WebhookPayload } from '@notify/contracts'
import type { Fill } from '../../rendering/create-renderer.ts'
import { mapTemplates, textsOf } from '../../templates/map-templates.ts'

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
  const { body, data = {}, template_data } = request
  if (!webhook) {
    if (template_data === undefined || body === undefined)
      return { ...(data as WebhookPayload['data']), body: body ?? '' }
    const template = { form: 'text', template: body, field: 'template_data', part: 'body' } as const
    const [text = ''] = await fill([template], template_data)
    return { ...(data as WebhookPayload['data']), body: text }
  }
  const field = request.event_key === undefined ? 'template_data' : 'data'
  const texts = textsOf({ webhook }).map(({ template, form }) => ({ template, form, field }) as const)
  const filled = (await fill(texts, request[field] ?? {})).values()
  return mapTemplates({ webhook }, () => filled.next().value ?? '').webhook!.data
}
