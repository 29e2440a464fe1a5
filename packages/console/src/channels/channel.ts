import type { components } from '@notify/sdk'
import type { ReactNode } from 'react'
import type { FormError } from '../edits/use-edits.ts'

export type Channel = components['schemas']['Provider']['channel']

/** The template of each channel, with variables in double braces. */
export type Templates = components['schemas']['Event']['templates']
export type TemplateOf<C extends Channel> = NonNullable<Templates[C]>

/** The fields of a template, to edit it. */
export interface FieldsProps<Form> {
  value: Form
  onChange(value: Form): void
}

/** A rendered template. */
export interface RenderedProps<Template> {
  template: Template
  locale?: string | undefined
  /** What the phone shows, where a carrier keeps the text. */
  message?: components['schemas']['WhatsAppTemplateContent'] | null | undefined
}

/** Everything that pages show of one channel. */
export interface ChannelPages<Template, Form> {
  name: string
  /** Its CSS class in charts. */
  fill: string
  /** The initial text of a new template, because the service stores no template without a text. */
  firstTemplate: Template
  /** A template in the form of the editor: JSON is text, and absent texts are empty. */
  emptyForm: Form
  formOf(template: Template): Form
  /** The template of a form. @param errors receives the errors that prevent saving */
  templateOf(form: Form, errors: FormError[]): Template
  /** The form that a translation starts with. Default: a copy of the original. */
  translatedForm?(form: Form, locale: string): Form
  Fields(props: FieldsProps<Form>): ReactNode
  /** A rendered template as the channel delivers it, in an element of its direction: words of the console state their own. */
  Rendered(props: RenderedProps<Template>): ReactNode
  /** Its parts by name, to compare two templates. */
  partsOf(template: Template): Record<string, unknown>
  /** The part with texts in Liquid. Default: the whole template. */
  liquidOf?(template: Template): unknown
  /** Whether a provider of it is an account at a carrier. */
  hasCarrier: boolean
  /** The reason why its messages may have no attempts. */
  noAttempts?: string
  /** The label of a recipient to suppress; absent on channels without suppressions. */
  suppression?: { label: string; placeholder: string }
  /** The field for an operator's own number or address, where test messages can be sent. */
  test?: { label: string /** Whether a provider has a text for it. */; ofProvider: boolean }
  /** The address of a user that its messages go to; absent: the user id, or an address of no user. */
  addressedBy?: 'email' | 'phone'
  /** What its messages are priced by, beside the channel itself. */
  categories?: readonly NonNullable<components['schemas']['Price']['category']>[]
  /** Rank for the first steps, which use the available channel with the lowest rank. */
  firstMessage?: { rank: number; template: Template; recipient: unknown }
}
