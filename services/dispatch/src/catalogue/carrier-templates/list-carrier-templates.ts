import type { listWhatsAppTemplates as contract } from '@notify/contracts'
import { type ListOrder, orderById, page } from '@notify/database'
import type { Handler } from '@notify/service-kit'
import { z } from 'zod'
import { placeholdersOf } from '../../channels/whatsapp/placeholders.ts'
import type { Context } from '../../context.ts'
import { type CarrierTemplateRow, listTemplateRows, type TemplatePosition } from './carrier-template-store.ts'

const text = z.string().max(600)
const order: ListOrder<CarrierTemplateRow, TemplatePosition> = {
  position: z.tuple([orderById('prov').position, text, text]),
  of: ({ provider_id, name, language }) => [provider_id, name, language],
}

/** The templates of the tenant's accounts with their carriers' judgements. */
export const listCarrierTemplates: Handler<Context, typeof contract> = async ({ db }, request) => {
  const { tenant_id } = request.principal
  const { items, next_cursor } = await page(request, order, (after, limit) =>
    listTemplateRows(db.run, tenant_id, { after, limit }),
  )
  return {
    items: items.map(({ provider_id, name, language, status, category, quality, content, reported_at }) => ({
      provider_id,
      name,
      language,
      status,
      category,
      quality,
      content,
      placeholders: content && placeholdersOf(content),
      reported_at: reported_at.toISOString(),
    })),
    next_cursor,
  }
}
