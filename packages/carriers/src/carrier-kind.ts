import type { Channel, Route } from '@notify/contracts'
import type { z } from 'zod'
import type { SenderDefinition } from './sender.ts'

/** The form of a template's parts, as the carrier checks them. */
interface TemplateForm {
  name: RegExp
  language: RegExp
  parameterName: RegExp
  longestParameter: number
}

/** What is known of a kind of carrier account without loading its client. */
export interface CarrierKind {
  channel: Channel
  /** All values of credentials are strings. */
  credentials: z.ZodType
  /** Environment variables of the sending half, added to the configuration of dispatch. */
  environment: z.core.$ZodLooseShape
  /** The carrier refuses longer texts; in UTF-16 code units. */
  longestText?: number
  /** What the carrier accepts of a template that it has approved. */
  templateForm?: TemplateForm
  /** Secret fields of the credentials, which nobody is shown; without it all are. */
  secrets?: readonly string[]
  /** Fields that the service itself makes and changes. */
  ours?: readonly string[]
  /** Makes what is missing of the credentials of a new account; it is shown once. */
  make?(given: Readonly<Record<string, string>>): Record<string, string>
  /** The carrier's id of an account that one tenant alone may connect. */
  accountIdOf?(credentials: Readonly<Record<string, string>>): string | undefined
  /** The host that a tenant names, which must be public. */
  destinationOf?(credentials: Readonly<Record<string, string>>): { host: string; port: number }
  /** The route that the carrier must be configured to call. */
  callbackOf?(credentials: Readonly<Record<string, string>>): Pick<Route, 'path'> | undefined
}

/** A kind that sends. */
export interface SendingKind extends CarrierKind {
  /** Loads the sending half: the clients of all carriers take longer to load than all else of a start. */
  loadSender(): Promise<SenderDefinition<never, never, never>>
  /** Of carriers that register sending domains: the region of an account. */
  regionOf?(credentials: never): string
  /** Set at carriers with approved templates. */
  hasTemplates?: true
}
