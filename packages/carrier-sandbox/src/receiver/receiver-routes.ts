import { Router } from 'express'
import { z } from 'zod'
import { sendProblem } from '../problem.ts'
import type { ReceivedLog } from './received-log.ts'

const mostShown = 10_000
const Secret = z.object({ secret: z.string().startsWith('whsec_') })

/** `GET` and `DELETE /received`: the webhooks that the receiver got; `POST /received/secrets` adds one to verify with. */
export function receiverRoutes(log: ReceivedLog): Router {
  return Router()
    .get('/received', (req, res) => {
      const { path, limit } = req.query
      const most = Math.min(Number(limit) || 100, mostShown)
      res
        .set('Cache-Control', 'no-store')
        .json({ items: log.newest(typeof path === 'string' ? path : undefined, most) })
    })
    .delete('/received', (_req, res) => {
      log.clear()
      res.status(204).end()
    })
    .post('/received/secrets', (req, res) => {
      const { data } = Secret.safeParse(jsonOf(req.body as Buffer))
      if (!data) return sendProblem(res, 400, 'bad_request', 'secret must be whsec_ and base64.')
      log.addSecret(data.secret)
      res.status(204).end()
    })
}

function jsonOf(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return undefined
  }
}
