import type { DispatchRequest, KeyPrincipal } from '@notify/contracts'
import type { Draft } from '../../channels/channel.ts'
import { linkNamesIn } from '../../channels/link-names.ts'
import type { WithLinks } from './message-links.ts'

/** What is known of a message when its links are made. */
interface Linked {
  candidate: {
    principal: Pick<KeyPrincipal, 'tenant_id' | 'application_id' | 'mode'>
    request: Pick<DispatchRequest, 'channel' | 'locale'>
  }
  draft: Pick<Draft, 'to'>
  locale: string | undefined
  /** As the caller named the recipient. */
  recipient: DispatchRequest['recipient']
  /** That the recipient can switch off. */
  topic: string | undefined
}

/** The link of a message, made when it is first needed: most texts have none. */
export function linkOf({ links }: WithLinks, { candidate, draft, locale, topic, recipient }: Linked): () => string {
  const { principal, request } = candidate
  const userId = typeof recipient === 'object' && typeof recipient.user_id === 'string' ? recipient.user_id : undefined
  let made: string | undefined
  return () => {
    made ??= links.urlOf({
      ...{ tenantId: principal.tenant_id, applicationId: principal.application_id, mode: principal.mode },
      ...{ channel: request.channel, to: draft.to, topic, locale: request.locale ?? locale, userId },
    })
    return made
  }
}

/** The caller's variables, with those of the links that the texts use. A caller's own of the same name counts. */
export function withLinks(
  texts: readonly { template: string }[],
  variables: Record<string, unknown>,
  link: () => string,
): Record<string, unknown> {
  const used = linkNamesIn(texts)
  if (used.length === 0) return variables
  return { ...Object.fromEntries(used.map((name) => [name, link()])), ...variables }
}
