import { Router } from 'express'
import { z } from 'zod'
import { readBody } from '../problem.ts'
import { DnsRecord } from './record.ts'
import type { Zone } from './zone.ts'

const mostRecords = 1000

const PutDns = z.strictObject({ records: z.array(DnsRecord).max(mostRecords) }).superRefine(({ records }, context) => {
  const counts = new Map<string, number>()
  for (const { name } of records) counts.set(name, (counts.get(name) ?? 0) + 1)
  records.forEach(({ type, name }, i) => {
    if (type !== 'CNAME' || counts.get(name) === 1) return
    context.addIssue({ code: 'custom', path: ['records', i], message: 'a name with a CNAME has no other records' })
  })
})

/** `PUT /dns` replaces the records of the names that it lists, `DELETE /dns` removes all, `GET /dns` lists them. */
export function dnsRoutes(zone: Zone): Router {
  return Router()
    .get('/dns', (_req, res) => void res.set('Cache-Control', 'no-store').json({ records: zone.records }))
    .put('/dns', (req, res) => {
      const body = readBody(req, res, PutDns)
      if (!body) return
      zone.replace(body.records)
      res.json({ records: zone.records })
    })
    .delete('/dns', (_req, res) => {
      zone.clear()
      res.status(204).end()
    })
}
