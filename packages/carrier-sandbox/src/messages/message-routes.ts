import { type Request, Router } from 'express'
import { z } from 'zod'
import { sendProblem } from '../problem.ts'
import type { MessageLog } from './message-log.ts'

/** An email's HTML is untrusted: it may not run scripts, load anything or submit forms, and opens only in the page's frame. */
const htmlHeaders = {
  'Content-Security-Policy':
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; base-uri 'none'; frame-ancestors 'self'",
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
}

/** `GET /messages` and `DELETE /messages`, which tests and the page use for every carrier; and an email's HTML. */
export function messageRoutes(log: MessageLog, logSize: number): Router {
  const query = messageQuery(Math.max(10_000, logSize))
  return Router()
    .get('/messages', (req, res) => {
      const parsed = query.safeParse(queryOf(req))
      if (!parsed.success) {
        const issue = parsed.error.issues[0]
        return sendProblem(res, 400, 'invalid_query', `${issue?.path.join('.')}: ${issue?.message}`)
      }
      const { limit, ...filter } = parsed.data
      res.set('Cache-Control', 'no-store').json({ ...log.newest(filter, limit), channels: log.channels() })
    })
    .get('/messages/:providerMessageId/html', (req, res) => {
      const html = log.findByProviderId(req.params.providerMessageId)?.html
      if (html === undefined) return sendProblem(res, 404, 'not_found', 'There is no such email with HTML.')
      res.set(htmlHeaders).type('html').send(html)
    })
    .delete('/messages', (_req, res) => {
      log.clear()
      res.status(204).end()
    })
}

function messageQuery(maxLimit: number) {
  const limitRule = `must be a whole number from 1 to ${maxLimit}`
  return z.object({
    // A plus that was not percent-encoded arrives as a space.
    to: z
      .string('must be given once')
      .transform((to) => to.replaceAll(' ', '+'))
      .optional(),
    channel: z.string('must be given once').optional(),
    limit: z
      .string(limitRule)
      .refine((text) => /^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= maxLimit, { error: limitRule })
      .transform(Number)
      .default(100),
  })
}

/** An empty parameter, as an untouched form field sends it, counts as absent. */
function queryOf(req: Request): Record<string, unknown> {
  return Object.fromEntries(Object.entries(req.query).filter(([, value]) => value !== ''))
}
