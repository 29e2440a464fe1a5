import { useHasPermission } from '../api/me.ts'
import { useWhatsAppTemplates } from '../api/whatsapp-templates.ts'
import type { WhatsAppForm } from './whatsapp-form.ts'

/** The text of the template that the form names, and why it cannot be sent yet. */
export function NamedTemplate({ of: { template_name, language } }: { of: WhatsAppForm }) {
  const may = useHasPermission()
  const { data } = useWhatsAppTemplates()
  if (!data || !may('providers:manage') || template_name === '') return null
  const named = data.items.filter((one) => one.name === template_name && one.language === language)
  const known = named.find(({ status }) => status === 'approved') ?? named[0]
  const name = `${template_name} (${language})`
  // Of a list that has further pages, it is not known what is missing.
  if (!known && data.next_cursor !== null) return null
  return (
    <>
      {known?.status === 'approved' ? null : (
        <p className="rounded-md bg-warn-fill px-3 py-2 text-warn [overflow-wrap:anywhere]">
          {known
            ? `${name} is ${known.status}. Messages are refused until it is approved.`
            : `No account has ${name}. Messages are refused until one has it and it is approved.`}
        </p>
      )}
      {known?.content ? (
        <section aria-label="Text of the template" className="rounded-md bg-sunken px-3 py-2 [overflow-wrap:anywhere]">
          {known.content.header?.text ? (
            <p dir="auto" className="font-semibold">
              {known.content.header.text}
            </p>
          ) : null}
          <p dir="auto" className="whitespace-pre-wrap">
            {known.content.body}
          </p>
        </section>
      ) : null}
    </>
  )
}
