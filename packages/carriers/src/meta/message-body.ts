import type { Correlation, WhatsAppMessage } from '../messages.ts'

/**
 * The body of a send: a filled template. Meta returns `biz_opaque_callback_data` in every callback, which correlates them.
 * @see https://developers.facebook.com/docs/whatsapp/cloud-api/guides/send-message-templates
 */
export function messageBody(message: WhatsAppMessage & Correlation) {
  const { to, template, notificationId, attemptId, traceparent } = message
  const correlation = new URLSearchParams({
    notification_id: notificationId,
    attempt_id: attemptId,
    ...(traceparent ? { traceparent } : {}),
  })
  return {
    messaging_product: 'whatsapp',
    recipient_type: 'individual',
    to,
    type: 'template',
    template: {
      name: template.name,
      language: { code: template.language, policy: 'deterministic' },
      components: componentsOf(message),
    },
    biz_opaque_callback_data: correlation.toString(),
  }
}

function componentsOf({ parameters, header, buttons = [], button_code }: WhatsAppMessage) {
  const body = Array.isArray(parameters)
    ? parameters.map((text: string) => ({ type: 'text', text }))
    : Object.entries(parameters).map(([parameter_name, text]) => ({ type: 'text', parameter_name, text }))
  return [
    ...(header ? [{ type: 'header', parameters: [headerParameter(header)] }] : []),
    ...(body.length > 0 ? [{ type: 'body', parameters: body }] : []),
    ...buttons.map(({ index, type, value }) => ({
      ...{ type: 'button', sub_type: type, index },
      parameters: [type === 'copy_code' ? { type: 'coupon_code', coupon_code: value } : { type: 'text', text: value }],
    })),
    ...(button_code === undefined
      ? []
      : [{ type: 'button', sub_type: 'url', index: 0, parameters: [{ type: 'text', text: button_code }] }]),
  ]
}

function headerParameter({ type, value, name }: NonNullable<WhatsAppMessage['header']>) {
  if (type !== 'text') return { type, [type]: { link: value } }
  return { type, text: value, ...(name === undefined ? {} : { parameter_name: name }) }
}
