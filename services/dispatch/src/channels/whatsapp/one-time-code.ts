import type { DispatchRequest } from '@notify/contracts'
import { fieldProblem } from '@notify/service-kit'
import type { DraftSettings } from '../channel.ts'
import type { WhatsAppPayload } from './payload.ts'

/** What fits into the button of an authentication template. */
const codePattern = /^\S{4,15}$/

/** The template for codes, unless an event names another. Meta writes languages with an underscore. */
export function codeTemplate({ config, locale }: DraftSettings): WhatsAppPayload['template'] {
  return {
    name: config.SERVICE_WHATSAPP_OTP_TEMPLATE_NAME,
    language: locale?.replaceAll('-', '_') ?? config.SERVICE_WHATSAPP_OTP_TEMPLATE_LANGUAGE,
    category: 'authentication',
  }
}

/**
 * Fills an authentication template: the code in its body and again in its button.
 * @throws Problem `validation_failed` when the request contains no code
 */
export function codeContent(
  { template_data }: DispatchRequest,
  settings: DraftSettings,
): Pick<WhatsAppPayload, 'parameters' | 'button_code'> {
  const code = template_data?.code
  if (typeof code !== 'string' || !codePattern.test(code)) {
    throw fieldProblem('validation_failed', 'template_data.code', 'must be a code of 4 to 15 characters')
  }
  return { parameters: [code], ...codeButton(code, settings) }
}

/**
 * The button of an authentication template, copy-code or one-tap. Legacy templates have only a body.
 * @see https://developers.facebook.com/docs/whatsapp/business-management-api/authentication-templates
 */
export function codeButton(code: unknown, { config }: DraftSettings): Pick<WhatsAppPayload, 'button_code'> {
  const isButton = config.SERVICE_WHATSAPP_OTP_TEMPLATE_BUTTON && typeof code === 'string' && codePattern.test(code)
  return isButton ? { button_code: code } : {}
}
