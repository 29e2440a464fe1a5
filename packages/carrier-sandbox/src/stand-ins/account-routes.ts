import { Router } from 'express'
import { z } from 'zod'
import { readBody } from '../problem.ts'
import type { AccountBook, WithWebhook } from './stand-in.ts'
import { standIns } from './table.ts'

/** `GET /accounts`: the forms of accounts. `POST`: opens one, as a person does in a dashboard, and shows what the carrier shows. */
export function accountRoutes(accounts: AccountBook): Router {
  const requests = z.discriminatedUnion(
    'carrier',
    standIns.map(({ name, account }) => z.object({ carrier: z.literal(name), account })) as never,
  )
  const items = standIns.map(({ name, account }) => ({
    carrier: name,
    account: z.toJSONSchema(account, { io: 'input', unrepresentable: 'any' }),
  }))
  const router = Router().get('/accounts', (_req, res) => void res.json({ items }))
  return router.post('/accounts', (req, res) => {
    const body = readBody(req, res, requests) as { carrier: string; account: WithWebhook } | undefined
    if (!body) return
    const standIn = standIns.find(({ name }) => name === body.carrier)!
    accounts.add(standIn, body.account)
    res.status(201).json({ carrier: standIn.name, ...standIn.shown?.(body.account) })
  })
}
