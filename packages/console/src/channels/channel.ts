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

/** Everything that pages show of one channel. */
export interface ChannelPages<Template, Form> {
  name: string
  /** Class of its colour in charts. */
  fill: string
  /** The initial text of a new template: the service stores none without a text. */
  firstTemplate: Template
  /** A template as the editor holds it: JSON is text, and absent texts are empty. */
  emptyForm: Form
  formOf(template: Template): Form
  /** The template of a form. @param errors receives what prevents saving */
  templateOf(form: Form, errors: FormError[]): Template
  Fields(props: FieldsProps<Form>): ReactNode
  /** A rendered template as the channel delivers it. */
  Rendered(props: { template: Template }): ReactNode
  /** Its parts by name, to compare two templates. */
  partsOf(template: Template): Record<string, unknown>
  /** The part with texts in Liquid. Default: the whole template. */
  liquidOf?(template: Template): unknown
  /** Whether a provider of it is an account at a carrier. */
  hasCarrier: boolean
  /** Why its messages may have no attempts. */
  noAttempts?: string
  /** How a recipient is named when one is suppressed; absent where consent is kept instead, or nothing. */
  suppression?: { label: string; placeholder: string }
  /** Ranks the channels for the first steps: the available channel with the lowest rank is used. */
  firstMessage?: { rank: number; template: Template; recipient: unknown }
}
