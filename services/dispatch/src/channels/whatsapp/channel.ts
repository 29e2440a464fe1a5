import { countryPrefixOf, type DispatchRequest, type EventTemplates } from '@notify/contracts'
import { maskPhone } from '@notify/privacy'
import { fieldProblem } from '@notify/service-kit'
import type { Fill } from '@notify/templates'
import type { ChannelDefinition, DraftSettings } from '../channel.ts'
import { readPhone } from '../read-phone.ts'
import { fillButtons, fillHeader, fillParameters } from './compose.ts'
import { codeButton, codeContent, codeTemplate } from './one-time-code.ts'
import { WhatsAppPayload } from './payload.ts'
import { misfits } from './placeholders.ts'
import { requireOptInReference } from './recipient.ts'
import { fillsCode, whatsappTemplate } from './template.ts'

export const whatsapp: ChannelDefinition<WhatsAppPayload> = {
  name: 'whatsapp',
  payload: WhatsAppPayload,
  template: whatsappTemplate,
  draft(request, settings) {
    const to = readPhone(request)
    const isCode = settings.lane === 'otp' && settings.templates === undefined
    // A code needs consent, but no reference: the recipient asked for it.
    if (!isCode) requireOptInReference(request)
    const written = settings.templates?.whatsapp
    const template = isCode ? codeTemplate(settings) : referenceOf(written)
    const hasCode = isCode || (written !== undefined && isLogin(settings, written))
    const given = isCode ? { parameters: ['{{code}}'] } : written!
    return {
      to,
      masked: maskPhone(to),
      countryPrefix: countryPrefixOf(to),
      from: undefined,
      template: {
        ...template,
        misfits: (content) => misfits({ ...given, hasCode: hasCode && hasButton(settings.config) }, content),
      },
      credits: settings.config.WHATSAPP_CREDITS[template.category],
      compose: async (templates, fill) => ({
        channel: 'whatsapp',
        to,
        template,
        ...(isCode ? codeContent(request, settings) : await fillAll(request, templates!.whatsapp!, fill)),
        ...(!isCode && hasCode ? codeButton((request.data ?? request.template_data)?.code, settings) : {}),
      }),
    }
  },
  templateOf: ({ template, button_code, ...filled }) => ({
    ...template,
    misfits: (content) => misfits({ ...filled, hasCode: button_code !== undefined }, content),
  }),
  receiptDeadlineMs: ({ RECEIPT_DEADLINE }) => RECEIPT_DEADLINE,
  contentOf: ({ template, parameters, header, buttons }) => ({
    ...{ template, parameters },
    ...(header && { header }),
    ...(buttons && { buttons }),
  }),
  // The ledger decides about consent; the reference is the caller's own.
  test: { recipientOf: (phone) => ({ phone, opt_in_reference: 'test message' }) },
  delivery: {
    by: 'carrier',
    lanes: ({ WHATSAPP_CONCURRENCY, WHATSAPP_BULK_CONCURRENCY, SEND_RATE: ratePerSecond }) => [
      { lane: 'otp', concurrency: WHATSAPP_CONCURRENCY, ratePerSecond },
      { lane: 'transactional', concurrency: WHATSAPP_CONCURRENCY, ratePerSecond },
      { lane: 'bulk', concurrency: WHATSAPP_BULK_CONCURRENCY, ratePerSecond },
    ],
  },
}

type Template = NonNullable<EventTemplates['whatsapp']>

/** Whether the service fills the button of an event's template with the code. */
const isLogin = ({ lane }: DraftSettings, template: Template) => lane === 'otp' && fillsCode(template)

const hasButton = (config: DraftSettings['config']) => config.SERVICE_WHATSAPP_OTP_TEMPLATE_BUTTON

/** Fills each part of a template. @throws Problem `template_variable_missing` or `validation_failed`, naming the field */
async function fillAll(request: DispatchRequest, template: Template, fill: Fill) {
  const parameters = await fillParameters(request, template, fill)
  const header = template.header && (await fillHeader(request, template.header, fill))
  const buttons = template.buttons && (await fillButtons(request, template.buttons, fill))
  return { parameters, ...(header && { header }), ...(buttons && { buttons }) }
}

/** The caller's own text is never sent, because WhatsApp accepts only approved templates outside a conversation. */
function referenceOf(template: EventTemplates['whatsapp']): WhatsAppPayload['template'] {
  if (template) return { name: template.template_name, language: template.language, category: template.category }
  const message =
    'cannot be sent by WhatsApp, which accepts only approved templates: name one by event_key or template_id'
  throw fieldProblem('validation_failed', 'body', message)
}
