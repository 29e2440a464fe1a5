import type { EventTemplates } from '@notify/contracts'
import { maskPhone } from '@notify/privacy'
import { fieldProblem } from '@notify/service-kit'
import type { ChannelDefinition, DraftSettings } from '../channel.ts'
import { readPhone } from '../read-phone.ts'
import { fillParameters } from './compose.ts'
import { codeButton, codeContent, codeTemplate } from './one-time-code.ts'
import { WhatsAppPayload } from './payload.ts'
import { requireOptInReference } from './recipient.ts'
import { whatsappTemplate } from './template.ts'

export const whatsapp: ChannelDefinition<WhatsAppPayload> = {
  name: 'whatsapp',
  payload: WhatsAppPayload,
  template: whatsappTemplate,
  draft(request, settings) {
    const to = readPhone(request)
    const isCode = settings.lane === 'otp' && settings.templates === undefined
    // A code needs consent, but no reference: the recipient asked for it.
    if (!isCode) requireOptInReference(request)
    const template = isCode ? codeTemplate(settings) : referenceOf(settings.templates?.whatsapp)
    return {
      to,
      masked: maskPhone(to),
      from: undefined,
      template,
      credits: settings.config.WHATSAPP_CREDITS[template.category],
      compose: async (templates, fill) => ({
        channel: 'whatsapp',
        to,
        template,
        ...(isCode
          ? codeContent(request, settings)
          : {
              parameters: await fillParameters(request, templates!.whatsapp!, fill),
              ...(isLogin(settings, template)
                ? codeButton((request.data ?? request.template_data)?.code, settings)
                : {}),
            }),
      }),
    }
  },
  templateOf: ({ template }) => template,
  receiptDeadlineMs: ({ RECEIPT_DEADLINE }) => RECEIPT_DEADLINE,
  delivery: {
    by: 'carrier',
    lanes: ({ WHATSAPP_CONCURRENCY, WHATSAPP_BULK_CONCURRENCY, SEND_RATE: ratePerSecond }) => [
      { lane: 'otp', concurrency: WHATSAPP_CONCURRENCY, ratePerSecond },
      { lane: 'transactional', concurrency: WHATSAPP_CONCURRENCY, ratePerSecond },
      { lane: 'bulk', concurrency: WHATSAPP_BULK_CONCURRENCY, ratePerSecond },
    ],
  },
}

/** Whether the event's template contains a code. */
const isLogin = ({ lane }: DraftSettings, { category }: WhatsAppPayload['template']) =>
  lane === 'otp' && category === 'authentication'

/** The caller's own text is never sent, because WhatsApp accepts only approved templates outside a conversation. */
function referenceOf(template: EventTemplates['whatsapp']): WhatsAppPayload['template'] {
  if (template) return whatsappTemplate.referenceOf(template)
  const message =
    'cannot be sent by WhatsApp, which accepts only approved templates: name one by event_key or template_id'
  throw fieldProblem('validation_failed', 'body', message)
}
