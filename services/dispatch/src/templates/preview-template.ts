import type { previewTemplate as contract } from '@notify/contracts'
import { idempotentAnswer } from '@notify/database'
import { type Handler, Reply } from '@notify/service-kit'
import type { ApiContext } from '../context.ts'
import { describeWhole } from './describe-template.ts'
import { renderPreview } from './render-preview.ts'
import { findTemplate } from './template-store.ts'

/** Renders a template with the given variables. */
export const previewTemplate: Handler<ApiContext, typeof contract> = idempotentAnswer(
  async ({ db, renderer }, { body, params, principal }) => {
    const { tenant_id } = principal
    const row = await findTemplate(db.run, tenant_id, params.template_id)
    const { template_id, version, templates } = describeWhole(row)
    const { channel, template_data: variables } = body
    const rendered = await renderPreview(renderer, tenant_id, templates, { channel, field: 'template_data', variables })
    return new Reply(200, JSON.stringify({ template_id, version, rendered }))
  },
)
