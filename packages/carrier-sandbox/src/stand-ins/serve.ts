import { type Request, type RequestHandler, type Response, Router } from 'express'
import type { CallbackSender } from '../callbacks/callback-sender.ts'
import { mostUnderWay, type Reporter } from '../callbacks/reporter.ts'
import type { Zone } from '../dns/zone.ts'
import type { LoggedMessage, MessageLog } from '../messages/message-log.ts'
import { randomHex } from '../random-hex.ts'
import { createDomainBook } from './domain-book.ts'
import { createOutcomes } from './outcomes.ts'
import {
  type AccountBook,
  type Answer,
  addressOf,
  type Draft,
  type StandIn,
  type Step,
  type WithWebhook,
} from './stand-in.ts'
import { standIns } from './table.ts'

/** What the stand-ins share. */
interface StandInContext {
  accounts: AccountBook
  log: MessageLog
  sender: CallbackSender
  reporter: Reporter
  /** Where carriers look up the records of sending domains. */
  zone: Zone
}

/** The stand-ins of the table, each below its name. */
export function standInRoutes(context: StandInContext): Router {
  const router = Router()
  for (const standIn of standIns) router.use(`/${standIn.name}`, serveStandIn(standIn, context))
  return router
}

/** The API of a carrier, limited to sending, the check of an account and its sending domains. */
function serveStandIn(standIn: StandIn<WithWebhook>, context: StandInContext): Router {
  const { accounts, zone } = context
  const book = createDomainBook(zone)
  const router = Router()
    .post(standIn.sendPath, send(standIn, context))
    .get(standIn.check.path, (req, res, next) => {
      const account = accounts.find(standIn, req)
      // A path that names another domain than the account's own shows a sending domain.
      const { domain } = req.params
      if (account && domain !== undefined && (account as { domain?: string }).domain !== domain) return next()
      give(res, account ? standIn.check.answer(account, book) : standIn.refused.unauthorized)
    })
  return standIn.domains ? router.use(standIn.domains({ standIn, accounts, book })) : router
}

function send(standIn: StandIn<WithWebhook>, context: StandInContext): RequestHandler {
  const { accounts, log, reporter } = context
  const outcomeOf = createOutcomes()
  const sent = new Map<string, { id: string; body: string }>()
  return async (req, res) => {
    const account = accounts.find(standIn, req)
    if (!account) return give(res, standIn.refused.unauthorized)
    const draft = await standIn.read(req, account)
    if (typeof draft === 'string') return give(res, standIn.refused.invalid(draft))
    const key = standIn.keyOf?.(req)
    const body = String(req.body)
    const before = key === undefined ? undefined : sent.get(key)
    if (before) return give(res, before.body === body ? standIn.accepted(before.id, draft) : standIn.refused.repeated!)
    const outcome = reporter.underWay < mostUnderWay ? outcomeOf(draft) : ({ refused: 'throttled' } as const)
    if ('refused' in outcome) return give(res, standIn.refused[outcome.refused])
    const id = standIn.newMessageId()
    if (key !== undefined) remember(sent, key, { id, body })
    const recipients = [draft.to, ...[...(draft.cc ?? []), ...(draft.bcc ?? [])].map(addressOf)]
    const messages = recipients.map((to) => messageOf(standIn, id, { ...draft, to }, req))
    // The first is the newest: it is the one that is meant.
    for (const message of messages.toReversed()) log.add(message)
    if (outcome.isAnswered) give(res, standIn.accepted(id, draft))
    const url = draft.webhookUrl ?? account.webhook_url
    for (const message of messages) {
      const own = message.to === draft.to ? outcome : outcomeOf({ ...draft, to: message.to })
      const shown = { message, travelled: draft.travelled }
      void reporter.report('steps' in own ? own.steps : [], async (step) => {
        advance(message, step)
        const webhook = url && standIn.webhook(account, shown, step)
        if (webhook) await context.sender.send({ url, ...webhook })
      })
    }
  }
}

const mostKeys = 10_000

/** Keeps the newest. */
function remember<Value>(known: Map<string, Value>, key: string, value: Value): void {
  known.set(key, value)
  const [oldest] = known.keys()
  if (known.size > mostKeys && oldest !== undefined) known.delete(oldest)
}

function give(res: Response, { status, headers = {}, body }: Answer): void {
  res.status(status).set(headers)
  if (body === undefined) res.end()
  else res.json(body)
}

function messageOf(standIn: StandIn<WithWebhook>, id: string, draft: Draft, req: Request): LoggedMessage {
  const { travelled: _, webhookUrl: __, html, ...content } = draft
  return {
    id: `msg_${randomHex()}`,
    channel: standIn.channel,
    account: standIn.name,
    ...content,
    ...(html !== undefined && { html }),
    provider_message_id: id,
    status: 'accepted',
    error_code: null,
    received_at: new Date().toISOString(),
    sent_at: null,
    request: { headers: shownHeaders(req), body: {} },
  }
}

const openHeaders = ['accept', 'content-length', 'content-type', 'host', 'traceparent', 'user-agent']

/** Carriers put credentials into headers of their own, so only the values of known headers are shown. */
const shownHeaders = ({ headers }: Request) =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, openHeaders.includes(name) ? value : '[redacted]']),
  )

const finalSteps: readonly string[] = ['delivered', 'undelivered', 'bounced', 'softBounced', 'rejected']

/** A final state stays, even if later webhooks follow; only a complaint follows a delivery. */
function advance(message: LoggedMessage, step: Step): void {
  message.sent_at ??= new Date().toISOString()
  if (!finalSteps.includes(message.status) || step === 'complained') message.status = step
}
