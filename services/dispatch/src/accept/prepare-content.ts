import { breathe } from '@notify/service-kit'
import type { ApiContext } from '../context.ts'
import type { Candidate } from './accept-item.ts'
import { draftMessage } from './draft-message.ts'
import { findTemplates } from './find-templates.ts'

/**
 * Makes what a request is to send, alone: a template that takes its time holds up nobody else's request then. Refusals are
 * kept for when the request is judged, since other rules come first.
 */
export async function prepareContent(context: ApiContext, candidate: Candidate): Promise<void> {
  try {
    const templates = await findTemplates(context, candidate)
    await breathe()
    const draft = draftMessage(candidate.request)
    if (!draft) return
    candidate.content = draft.compose(templates, (texts, variables) =>
      context.renderer.fill(candidate.principal.tenant_id, texts, variables),
    )
    await candidate.content
  } catch {
    // It is met again when the request is judged.
  }
}
