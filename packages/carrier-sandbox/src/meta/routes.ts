import { type Request, type RequestHandler, Router } from 'express'
import { behaviourOfPhone } from '../behaviours.ts'
import type { CallbackSender } from '../callbacks/callback-sender.ts'
import { mostUnderWay, type Reporter } from '../callbacks/reporter.ts'
import type { LoggedMessage, MessageLog } from '../messages/message-log.ts'
import { randomHex } from '../random-hex.ts'
import { createDeviations, type Step } from './deviations.ts'
import { errors, sendError } from './errors.ts'
import { messageId } from './message-id.ts'
import type { MetaNumber } from './number.ts'
import { readSend, type Sending } from './read-send.ts'
import { statusWebhook } from './status-webhook.ts'
import type { TemplateBook } from './template-book.ts'
import { waId } from './webhook.ts'

/** What Meta's stand-in shares with those of other carriers. */
interface MetaContext {
  numbers: readonly MetaNumber[]
  templates: TemplateBook
  log: MessageLog
  sender: CallbackSender
  reporter: Reporter
}

/** WhatsApp's Cloud API, limited to what sending templates needs. */
export function metaRoutes(context: MetaContext): Router {
  return Router()
    .post('/:version/:id/messages', createMessage(context))
    .get('/:version/:id/message_templates', listTemplates(context))
    .get('/:version/:id/subscribed_apps', listApps(context))
    .get('/:version/:id/phone_numbers', listNumbers(context))
    .get('/:version/:id', fetchNumber(context))
    .use((_req, res) => sendError(res, errors.notFound))
}

function createMessage(context: MetaContext): RequestHandler<{ id: string }> {
  const { numbers, templates, log, reporter } = context
  const deviations = createDeviations()
  return (req, res) => {
    const number = numbers.find(({ phone_number_id }) => phone_number_id === req.params.id)
    if (!number) return sendError(res, errors.notFound)
    if (!isAuthentic(req, number)) return sendError(res, errors.authenticate)
    const sending = readSend(
      Buffer.isBuffer(req.body) ? req.body.toString() : '',
      templates.of(number.business_account_id)!,
    )
    if ('error' in sending) return sendError(res, sending.error)
    const outcome = deviations[behaviourOfPhone(sending.to)](sending)
    if ('error' in outcome) return sendError(res, outcome.error, outcome.headers)
    if (reporter.underWay >= mostUnderWay) return sendError(res, errors.rateLimit, { 'Retry-After': '1' })
    const message = messageOf(number, sending, req.headers)
    log.add(message)
    if (outcome.isAnswered) {
      res.json({
        messaging_product: 'whatsapp',
        contacts: [{ input: sending.to, wa_id: waId(sending.to) }],
        messages: [{ id: message.provider_message_id, message_status: 'accepted' }],
      })
    }
    void report(context, number, { message, opaque: sending.opaque, steps: outcome.steps })
  }
}

const isAuthentic = (req: Request<{ id: string }>, { access_token }: MetaNumber) =>
  req.headers.authorization === `Bearer ${access_token}`

function messageOf(
  number: MetaNumber,
  { to, text, buttons, body }: Sending,
  headers: Request['headers'],
): LoggedMessage {
  return {
    id: `msg_${randomHex()}`,
    channel: 'whatsapp',
    account: number.phone_number_id,
    to,
    from: number.phone_number_id,
    text,
    buttons,
    provider_message_id: messageId(to),
    status: 'accepted',
    error_code: null,
    received_at: new Date().toISOString(),
    sent_at: null,
    request: { headers: { ...headers, authorization: '[redacted]' }, body },
  }
}

interface UnderWay {
  message: LoggedMessage
  opaque: string | undefined
  steps: readonly Step[]
}

const ranks = ['accepted', 'sent', 'delivered', 'read', 'failed']

/** Takes a message through its states and sends the webhook of each; late webhooks do not lower its state. */
function report({ reporter, sender }: MetaContext, number: MetaNumber, { steps, ...sent }: UnderWay): Promise<void> {
  const { message } = sent
  return reporter.report(steps, async (step) => {
    message.sent_at ??= new Date().toISOString()
    if (ranks.indexOf(step.status) > ranks.indexOf(message.status)) message.status = step.status
    message.error_code ??= step.errorCode ?? null
    await sender.send(statusWebhook(number, sent, step))
  })
}

/** `GET /{phone_number_id}`: the number in good standing. */
function fetchNumber({ numbers }: MetaContext): RequestHandler<{ id: string }> {
  return (req, res) => {
    const number = numbers.find(({ phone_number_id }) => phone_number_id === req.params.id)
    if (!number) return sendError(res, errors.notFound)
    if (!isAuthentic(req, number)) return sendError(res, errors.authenticate)
    res.json({
      id: number.phone_number_id,
      verified_name: 'Sandbox',
      quality_rating: 'GREEN',
      code_verification_status: 'VERIFIED',
    })
  }
}

/** `GET …/subscribed_apps`: the app that gets the webhooks of an account. */
function listApps({ numbers }: MetaContext): RequestHandler<{ id: string }> {
  return (req, res) => {
    const number = numbers.find(({ business_account_id }) => business_account_id === req.params.id)
    if (!number) return sendError(res, errors.notFound)
    if (!isAuthentic(req, number)) return sendError(res, errors.authenticate)
    res.json({ data: [{ whatsapp_business_api_data: { id: '1', name: 'Sandbox', link: number.webhook_url } }] })
  }
}

/** `GET …/phone_numbers`: the numbers of an account, on one page. */
function listNumbers({ numbers }: MetaContext): RequestHandler<{ id: string }> {
  return (req, res) => {
    const own = numbers.filter(({ business_account_id }) => business_account_id === req.params.id)
    if (!own[0]) return sendError(res, errors.notFound)
    if (!isAuthentic(req, own[0])) return sendError(res, errors.authenticate)
    res.json({ data: own.map(({ phone_number_id: id }) => ({ id })) })
  }
}

const mostListed = 250

/** `GET …/message_templates`: pages of templates, by name where one is given. */
function listTemplates({ numbers, templates }: MetaContext): RequestHandler<{ id: string }> {
  return (req, res) => {
    const number = numbers.find(({ business_account_id }) => business_account_id === req.params.id)
    if (!number) return sendError(res, errors.notFound)
    if (!isAuthentic(req, number)) return sendError(res, errors.authenticate)
    const { name, limit, after } = req.query
    const all = templates.of(number.business_account_id)!.filter((one) => name === undefined || one.name === name)
    const start = Number(after ?? 0)
    const end = start + Math.min(Number(limit ?? 25), mostListed)
    const data = all.slice(start, end).map(({ header, body, footer, buttons, ...template }, at) => ({
      ...template,
      id: String(start + at + 1),
      components: [
        ...(header ? [{ type: 'HEADER', ...header }] : []),
        { type: 'BODY', text: body },
        ...(footer === undefined ? [] : [{ type: 'FOOTER', text: footer }]),
        ...(buttons.length > 0 ? [{ type: 'BUTTONS', buttons }] : []),
      ],
    }))
    const next = end < all.length ? { next: `${req.baseUrl}${req.path}?after=${end}` } : {}
    res.json({ data, paging: { cursors: { before: String(start), after: String(end) }, ...next } })
  }
}
