import { type DispatchRequest, e164Pattern, type NotificationAccepted } from '@notify/contracts'
import { maskPhone } from '@notify/privacy'
import { Problem } from '@notify/service-kit'
import type { Context } from '../context.ts'
import { renderText } from '../events/render-template.ts'
import type { Candidate, NewNotification } from './accept-item.ts'

/** Twilio refuses longer bodies (error 21617); in UTF-16 code units. */
const maxSmsCharacters = 1600
const smsCredits = 1

/** Where a notification's payload belongs: nothing else can read it. */
export const payloadPlace = (tenantId: string, notificationId: string) => `notifications|${tenantId}|${notificationId}`

/** What the worker sends. */
export interface SmsPayload {
  to: string
  text: string
}

/**
 * Applies the rules of a dispatch in their documented order: event, channel, recipient, provider, rendering.
 * @throws Problem with the documented code
 */
export async function judgeCandidate(context: Context, candidate: Candidate): Promise<NewNotification> {
  const { principal, request, notificationId } = candidate
  const template = await templateOf(context, candidate)
  if (request.channel !== 'sms') throw providerMissing(request.channel)
  const to = phoneOf(request)
  const providers = await context.directory.providers.list(
    principal.tenant_id,
    principal.application_id,
    request.channel,
  )
  if (providers.length === 0 || (principal.mode === 'test' && !context.config.CARRIER_SANDBOX_URL)) {
    throw providerMissing(request.channel)
  }
  const sendAt = sendAtOf(request)
  const payload: SmsPayload = { to, text: smsText(template, request) }
  const answer: NotificationAccepted = {
    status: 'accepted',
    notification_id: notificationId as `notif_${string}`,
    channel: request.channel,
    delivery_status: sendAt ? 'scheduled' : 'queued',
  }
  return {
    candidate,
    channel: request.channel,
    lane: request.priority,
    recipientMasked: maskPhone(to),
    recipientIndex: context.secrets.blindIndex(principal.tenant_id, to),
    payload: context.secrets.keyRing.encrypt(
      JSON.stringify(payload),
      payloadPlace(principal.tenant_id, notificationId),
    ),
    sendAt,
    credits: smsCredits,
    response: JSON.stringify(answer),
  }
}

const longestWaitMs = 30 * 24 * 3600 * 1000
/** Clocks differ, and requests are repeated: what was due this long ago is sent at once. */
const toleratedMs = 5 * 60 * 1000

/** When to send; `undefined` for at once. Judged on acceptance, so that a repetition keeps its first answer. */
function sendAtOf({ send_at }: DispatchRequest): Date | undefined {
  if (send_at === undefined) return undefined
  const sendAt = new Date(send_at)
  const aheadMs = sendAt.getTime() - Date.now()
  const fault =
    aheadMs > longestWaitMs ? 'must be at most 30 days ahead' : aheadMs < -toleratedMs ? 'is in the past' : undefined
  if (fault)
    throw new Problem('validation_failed', `send_at ${fault}`, { errors: [{ path: 'send_at', message: fault }] })
  return aheadMs > 0 ? sendAt : undefined
}

/** The event's template for the channel; `undefined` in the content form. */
async function templateOf({ directory }: Context, { principal, request }: Candidate): Promise<string | undefined> {
  if (request.event_key === undefined) {
    if (request.template_id !== undefined) {
      throw new Problem('validation_failed', 'There is no stored template with this template_id', {
        errors: [{ path: 'template_id', message: 'is not a stored template' }],
      })
    }
    return undefined
  }
  const event = await directory.events.find(principal.application_id, request.event_key)
  if (!event) {
    throw new Problem('event_not_found', `This application has no published event with the key ${request.event_key}`)
  }
  if (!event.allowed_channels.includes(request.channel)) {
    const allowed = event.allowed_channels.join(', ')
    throw new Problem(
      'channel_not_allowed',
      `The event ${request.event_key} does not allow ${request.channel}; it allows ${allowed}`,
    )
  }
  if (request.channel === 'sms' && !event.templates.sms) {
    throw new Problem('channel_not_allowed', `The event ${request.event_key} has no template for sms`)
  }
  return event.templates.sms?.body
}

function phoneOf({ recipient }: DispatchRequest): string {
  const phone = typeof recipient === 'string' ? recipient : recipient.phone
  if (typeof phone === 'string' && e164Pattern.test(phone)) return phone
  const path = typeof recipient === 'string' ? 'recipient' : 'recipient.phone'
  const message =
    phone === undefined ? 'is missing' : 'must be E.164: a plus sign, country code, 7 to 15 digits, no spaces or dashes'
  throw new Problem('invalid_recipient', `${path} ${message}`, { errors: [{ path, message }] })
}

function smsText(template: string | undefined, request: DispatchRequest): string {
  const text = textOf(template, request)
  const fault =
    text.trim() === ''
      ? 'is empty'
      : text.length > maxSmsCharacters
        ? `has more than ${maxSmsCharacters} characters`
        : // The request held none, but a template's filters can make one.
          text.includes('\0')
          ? 'contains a NUL character'
          : undefined
  if (!fault) return text
  const path = template === undefined ? 'body' : 'data'
  throw new Problem('validation_failed', `The text to send ${fault}`, {
    errors: [{ path, message: `the text to send ${fault}` }],
  })
}

function textOf(template: string | undefined, { body = '', data = {}, template_data }: DispatchRequest): string {
  if (template !== undefined) return renderText(template, data)
  return template_data === undefined ? body : renderText(body, template_data)
}

function providerMissing(channel: string): Problem {
  return new Problem('provider_not_configured', `No provider is configured for ${channel}; add one before sending`)
}
