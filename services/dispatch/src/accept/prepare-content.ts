import type { EventTemplates } from '@notify/contracts'
import { ownTurn } from '@notify/service-kit'
import type { Draft } from '../channels/channel.ts'
import type { ApiContext } from '../context.ts'
import type { Candidate } from './accept-item.ts'
import { findTemplates } from './find-templates.ts'

/** Characters that take milliseconds to encrypt and to write down. */
const largeText = 50_000

/**
 * Makes what a request is to send, alone: a template that takes its time holds up nobody else's request then. Refusals are
 * kept for when the request is judged, since other rules come first.
 */
export async function prepareContent(context: ApiContext, candidate: Candidate): Promise<void> {
  try {
    const templates = await findTemplates(context, candidate)
    const draft = context.channels[candidate.request.channel]?.draft(candidate.request)
    if (!draft) return
    candidate.content = makeContent(context, candidate, draft, templates)
    await candidate.content
  } catch {
    // It is met again when the request is judged.
  }
}

/** Composes a payload. @returns its JSON @throws Problem naming the field at fault */
export async function makeContent(
  { renderer }: ApiContext,
  { principal }: Candidate,
  draft: Draft,
  templates: EventTemplates | undefined,
): Promise<string> {
  const payload = await draft.compose(templates, (texts, variables) =>
    renderer.fill(principal.tenant_id, texts, variables),
  )
  const text = JSON.stringify(payload)
  if (text.length > largeText) await ownTurn()
  return text
}
