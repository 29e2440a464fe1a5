import type { DispatchRequest } from '@notify/contracts'
import { Problem } from '@notify/service-kit'
import type { DraftSettings } from '../channel.ts'
import type { WhatsAppPayload } from './payload.ts'

/** A code fits into the button of an authentication template. */
const codePattern = /^\S{4,15}$/

/** The template that codes are sent with. */
export function codeTemplate({ config }: DraftSettings): WhatsAppPayload['template'] {
  return {
    name: config.SERVICE_WHATSAPP_OTP_TEMPLATE_NAME,
    language: config.SERVICE_WHATSAPP_OTP_TEMPLATE_LANGUAGE,
    category: 'authentication',
  }
}

/**
 * What an authentication template is filled with: the code in its body, and again in its button.
 * @throws Problem `validation_failed` when the request brings no code
 * @see https://developers.facebook.com/docs/whatsapp/business-management-api/authentication-templates
 */
export function codeContent(
  { body, template_data }: DispatchRequest,
  { config }: DraftSettings,
): Pick<WhatsAppPayload, 'parameters' | 'button_code'> {
  const code = template_data?.code ?? body
  if (typeof code !== 'string' || !codePattern.test(code)) {
    const message = 'must be a code of 4 to 15 characters'
    throw new Problem('validation_failed', `template_data.code ${message}`, {
      errors: [{ path: 'template_data.code', message }],
    })
  }
  return { parameters: [code], ...(config.SERVICE_WHATSAPP_OTP_TEMPLATE_BUTTON ? { button_code: code } : {}) }
}
