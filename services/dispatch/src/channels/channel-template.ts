import type { FieldError, Id, LayoutTexts, SmsSegments, WhatsAppTemplateContent } from '@notify/contracts'
import type { Fill, InTurn, NamedTemplate, TemplateForm } from '@notify/templates'

/** Converts a Liquid text; `path` is its location in a set of templates, for example `email.subject`. */
export type Visit = (template: string, form: TemplateForm, path: string) => string

/** A template of a carrier account, which the carrier must have approved in this category. */
export interface TemplateReference {
  name: string
  language: string
  category: string
}

/** A carrier's template, and what a message fills of it. */
export interface FilledReference extends TemplateReference {
  /** The placeholders of an approved text that it leaves open or that the text does not have, by path. */
  misfits(content: WhatsAppTemplateContent): FieldError[]
}

/** The field of a request with the variables, which errors name. */
export type VariablesField = NamedTemplate['field']

/** The texts around those of an email, in its language. @throws Problem `validation_failed` for one that it may not have */
export type FindLayout = (layoutId: Id<'lay'>) => Promise<LayoutTexts>

/** What the content of some channels is made with, beside {@link Fill}. */
export interface ComposeTools {
  findLayout: FindLayout
  inTurn: InTurn
}

/** What dispatch knows of a channel's template in events and stored templates. */
export interface ChannelTemplate<T> {
  /** The template with each Liquid text replaced; names, languages and keys stay. */
  map(template: T, visit: Visit): T
  /** Breaches of the channel's rules that no variable can repair, by path. */
  faults(template: T, inTurn: InTurn): FieldError[] | Promise<FieldError[]>
  /** What a translation has of its own beside its texts, by path. */
  ownFields?(template: T): Record<string, string>
  /**
   * The template for a translation.
   * @param given its fields and texts by path
   * @param known the translation that it replaces
   */
  localize?(template: T, locale: string, given: Readonly<Record<string, string>>, known: T | undefined): T
  /** How carriers divide a rendered message. */
  segmentsOf?(rendered: T): SmsSegments
  /** Its texts by path, each of which must print the code when it is the template of one-time codes. */
  codeTexts?(template: T): Record<string, string | undefined>
  /** The layout around its texts. */
  layoutOf?(template: T): Id<'lay'> | undefined
  /**
   * The carrier's template that it fills, whose approved category must be the same.
   * @param sendsCodes whether the service fills the button that copies the code
   */
  referenceOf?(template: T, sendsCodes: boolean): FilledReference
  /** A rendered template as the recipient sees it, from the carrier's approved text. */
  shownAs?(rendered: T, content: WhatsAppTemplateContent): WhatsAppTemplateContent
  /**
   * Renders it as a send does, where a send checks more than each text by itself.
   * @throws Problem naming the field
   */
  preview?(
    template: T,
    field: VariablesField,
    variables: Record<string, unknown>,
    fill: Fill,
    tools: ComposeTools,
  ): Promise<T>
}

/** Each Liquid text of a template. */
export function textsOf<T>({ map }: ChannelTemplate<T>, template: T) {
  const texts: { template: string; form: TemplateForm; path: string }[] = []
  map(template, (text, form, path) => {
    texts.push({ template: text, form, path })
    return text
  })
  return texts
}

/** Fills all texts of a template at once. */
export async function fillTemplate<T>(
  channel: ChannelTemplate<T>,
  template: T,
  field: VariablesField,
  variables: Record<string, unknown>,
  fill: Fill,
): Promise<T> {
  const texts = textsOf(channel, template).map(({ template, form }) => ({ template, form, field }) as const)
  const filled = (await fill(texts, variables)).values()
  return channel.map(template, () => filled.next().value ?? '')
}
