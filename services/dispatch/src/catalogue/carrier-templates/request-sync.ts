import type { syncWhatsAppTemplates as contract } from '@notify/contracts'
import { idempotent } from '@notify/database'
import { type Handler, Reply } from '@notify/service-kit'
import type { Context } from '../../context.ts'
import { requestSync } from './carrier-template-store.ts'

/** Requests a synchronisation of the tenant's accounts, which the worker starts at once. */
export const requestTemplateSync: Handler<Context, typeof contract> = idempotent({
  async effect(_context, { principal }, run) {
    const providers = await requestSync(run, principal.tenant_id)
    return new Reply(202, JSON.stringify({ status: 'sync_queued', providers }))
  },
})
