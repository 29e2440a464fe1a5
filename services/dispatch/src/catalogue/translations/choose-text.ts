import type { Digest, DispatchRequest, EventTemplates, EventTranslations, KeyPrincipal, Lane } from '@notify/contracts'
import { isSameLanguage, lookUp } from '@notify/locales'
import type { Format } from '@notify/templates'
import type { ChannelDefinition, Draft } from '../../channels/channel.ts'
import type { FilledReference } from '../../channels/channel-template.ts'
import type { Context } from '../../context.ts'
import type { WithCarrierTemplates } from '../carrier-templates/carrier-template-directory.ts'
import { unapprovedBecause } from '../carrier-templates/require-approved.ts'
import type { WithProviders } from '../providers/provider-directory.ts'
import type { NamedUser } from '../recipients/recipient-directory.ts'

/** The templates of an event or a stored template. */
export interface Texts {
  templates: EventTemplates
  translations: EventTranslations | null
  /** Of an event. */
  topic?: string | null
  digest?: Digest | null
}

/** What the choice depends on. */
interface Asked {
  principal: Pick<KeyPrincipal, 'tenant_id' | 'application_id' | 'default_locale' | 'default_time_zone'>
  request: DispatchRequest
  /** Whom the request names in place of an address. */
  user?: NamedUser | undefined
  /** Of another service, which may know the language of its texts. */
  terms?: { writtenLocale?: string | undefined }
}

/** A text that a notification may be sent with. */
interface Text {
  /** None in the content form. */
  templates: EventTemplates | undefined
  /** The language that it is written in, where it is known. */
  locale: string | undefined
}

/** A message with a valid recipient, in the language that was chosen. */
interface Drafted {
  text: Text
  draft: Draft
  /** The carrier's templates that it could be made of; several when none of them is approved. */
  alternatives: readonly FilledReference[]
}

/**
 * The texts that suit a request, best first: for the locale of the request, then for those of the user and of the application,
 * the translations by lookup (RFC 4647, 3.4), and after them the text that is no translation, if it is in that language.
 */
function suitable({ request, principal, user, terms }: Asked, texts: Texts | undefined, isCode: boolean): Text[] {
  const { channel } = request
  const { default_locale } = principal
  const wanted = wantedLocales({ request, principal, user })
  if (!texts && terms?.writtenLocale !== undefined) return [{ templates: undefined, locale: terms.writtenLocale }]
  // The caller wrote the content for this recipient. A code's carrier template may exist in any language.
  if (!texts) {
    const own = isCode ? lookUp(wanted, () => true).map((one) => ({ templates: undefined, locale: one })) : []
    return own.length > 0
      ? [...own, { templates: undefined, locale: undefined }]
      : [{ templates: undefined, locale: wanted[0] }]
  }
  const { templates, translations } = texts
  const base = { templates, locale: terms?.writtenLocale ?? default_locale }
  if (!translations || wanted.length === 0) return [base]
  const has = (one: string) => Object.hasOwn(translations, one) && translations[one]![channel] !== undefined
  const isBase = (one: string) => base.locale !== undefined && isSameLanguage(one, base.locale)
  const found = wanted.flatMap((one) => [...lookUp([one], has), ...(isBase(one) ? [undefined] : [])])
  return [...new Set([...found, undefined])].map((locale) =>
    locale === undefined ? base : { templates: translations[locale], locale },
  )
}

/** The languages to look for, in order of priority. */
const wantedLocales = ({ request, principal, user }: Pick<Asked, 'request' | 'principal' | 'user'>): string[] =>
  [request.locale, user?.locale, principal.default_locale].filter((one) => one !== undefined)

/**
 * Drafts the message in the first language that suits the recipient; on a channel whose carriers approve templates, in the first
 * one that is approved.
 * @throws Problem of the channel for an invalid recipient
 */
export async function chooseText(
  context: Context & WithProviders & WithCarrierTemplates,
  asked: Asked & { lane: Lane },
  definition: ChannelDefinition,
  texts: Texts | undefined,
): Promise<Drafted> {
  const { principal, request, lane } = asked
  const { config } = context
  const found = suitable(asked, texts, lane === 'otp')
  const drafted = ({ templates, locale }: Text) => definition.draft(request, { config, lane, templates, locale })
  const first = { text: found[0]!, draft: drafted(found[0]!) }
  if (!first.draft.template) return { ...first, alternatives: [] }
  if (found.length === 1) return { ...first, alternatives: [first.draft.template] }
  const providers = await context.directory.providers.list(
    principal.tenant_id,
    principal.application_id,
    definition.name,
  )
  const alternatives: FilledReference[] = []
  for (const text of found) {
    const draft = drafted(text)
    if ((await unapprovedBecause(context, providers, draft.template!)) === undefined)
      return { text, draft, alternatives: [draft.template!] }
    alternatives.push(draft.template!)
  }
  return { ...first, alternatives }
}

/** How filters write numbers and times: in the variety of the text's language that was asked for first. */
export function formatOf(asked: Asked, { locale = unknownLanguage }: Text): Format {
  const { request, principal, user } = asked
  const timeZone = request.time_zone ?? user?.timezone ?? principal.default_time_zone ?? 'UTC'
  const variety = wantedLocales(asked).find((one) => one === locale || isSameLanguage(one, locale))
  return { locale: variety ?? locale, timeZone }
}

/** The language in which filters write in a text of an unknown one. */
const unknownLanguage = 'en'
