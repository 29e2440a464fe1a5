import type { previewLayout as contract } from '@notify/contracts'
import { idempotentAnswer } from '@notify/database'
import { isSameLanguage } from '@notify/locales'
import { type Handler, Reply } from '@notify/service-kit'
import type { Renderer } from '@notify/templates'
import { composeEmail } from '../../channels/email/compose.ts'
import { withSampleLinks } from '../../channels/link-names.ts'
import type { Context } from '../../context.ts'
import { requireValidLayout } from './check-layout.ts'
import { requireLayout } from './describe-layout.ts'
import { textsIn } from './layout-catalogue.ts'
import { findLayout } from './layout-store.ts'

/** Renders a layout, or the given texts instead of it, around a text. */
export const previewLayout: Handler<Context & { renderer: Renderer }, typeof contract> = idempotentAnswer(
  async (context, { body, params, principal }) => {
    const { tenant_id: tenantId } = principal
    const { template_data, content, locale, time_zone: timeZone = 'UTC', layout } = body
    const stored = requireLayout(await findLayout(context.db.run, tenantId, params.layout_id))
    if (layout) await requireValidLayout(context, tenantId, layout)
    const { texts, locale: written } = layout ? { texts: layout, locale: null } : textsIn(stored, locale)
    const language = locale ?? written ?? 'en'
    const format = { locale: written !== null && !isSameLanguage(language, written) ? written : language, timeZone }
    const { text, html = '' } = await composeEmail(
      { recipient: 'somebody@example.com', subject: 'Preview', ...content, layout_id: stored.id, template_data },
      undefined,
      (given, variables) => context.renderer.fill(tenantId, given, withSampleLinks(given, variables), format),
      { findLayout: async () => texts, inTurn: (work) => context.renderer.inTurn(tenantId, work) },
    )
    const shown = { rendered: { html_body: html, body: text }, locale: written }
    return new Reply(200, JSON.stringify({ layout_id: stored.id, version: layout ? null : stored.version, ...shown }))
  },
)
