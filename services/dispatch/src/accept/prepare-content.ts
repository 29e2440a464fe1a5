import type { EventTemplates } from '@notify/contracts'
import { ownLoopTurn, Problem } from '@notify/service-kit'
import type { Draft } from '../channels/channel.ts'
import { type AcceptContext, type Candidate, laneOf, type Prepared } from './accept-item.ts'
import { findTemplates } from './find-templates.ts'

/** Characters that take milliseconds to encrypt and to write down. */
const largeText = 50_000

/**
 * Makes what a request is to send, alone: a template that takes its time holds up nobody else's request then. Refusals are
 * kept for when the request is judged, since other rules come first.
 */
export async function prepareContent(context: AcceptContext, candidate: Candidate): Promise<void> {
  try {
    candidate.prepared = await prepare(context, candidate)
    await candidate.prepared.content
  } catch {
    // It is met again when the request is judged.
  }
}

/**
 * Applies the first rules of a dispatch, event, channel and recipient, and begins to compose.
 * @throws Problem with the documented code
 */
export async function prepare(context: AcceptContext, candidate: Candidate): Promise<Prepared> {
  const templates = await findTemplates(context, candidate)
  const { channel } = candidate.request
  const definition = context.channels[channel]
  if (!definition) throw providerMissing(channel)
  const draft = definition.draft(candidate.request, { config: context.config, lane: laneOf(candidate), templates })
  const content = makeContent(context, candidate, draft, templates)
  // Whoever judges the request meets the refusal; until then nobody listens.
  content.catch(() => {})
  return { draft, content }
}

export function providerMissing(channel: string): Problem {
  return new Problem('provider_not_configured', `No provider is configured for ${channel}; add one before sending`)
}

/** Composes a payload. @returns its JSON @throws Problem naming the field at fault */
async function makeContent(
  { renderer }: AcceptContext,
  { principal }: Candidate,
  draft: Draft,
  templates: EventTemplates | undefined,
): Promise<string> {
  let filled = 0
  const payload = await draft.compose(templates, async (texts, variables) => {
    const made = await renderer.fill(principal.tenant_id, texts, variables)
    for (const { length } of made) filled += length
    return made
  })
  const text = JSON.stringify(payload)
  // Filled texts are charged already; these are those that the caller wrote as they are.
  renderer.charge(principal.tenant_id, text.length - filled)
  if (text.length > largeText) await ownLoopTurn()
  return text
}
