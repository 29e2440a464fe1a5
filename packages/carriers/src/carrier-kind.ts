import type { Channel, Route } from '@notify/contracts'
import type { z } from 'zod'
import type { SenderDefinition } from './sender.ts'

/** The limits of the carrier for the parts of a template. */
interface TemplateForm {
  name: RegExp
  language: RegExp
  parameterName: RegExp
  longestParameter: number
}

/** Declares a kind of carrier account. Reading it does not load the carrier's client. */
export interface CarrierKind {
  channel: Channel
  /** All values of credentials are strings. */
  credentials: z.ZodType
  /** Environment variables of the sending half, added to the configuration of dispatch. */
  environment: z.core.$ZodLooseShape
  /** Texts that are longer are refused at acceptance, whatever the carrier; in UTF-16 code units. */
  longestText?: number
  /** Texts that are longer go by another kind, and are refused at acceptance where the tenant has none; in UTF-16 code units. */
  longestOwnText?: number
  /** The same for an SMS of more segments. */
  mostSegments?: number
  /** The rate of a provider for which none is given, in messages per second. Default: no limit. */
  defaultRatePerSecond?: number
  /** Set for carriers that approve templates. */
  templateForm?: TemplateForm
  /** Credential fields that the API never returns. Default: all of them. */
  secrets?: readonly string[]
  /** Credential fields that the service generates and rotates. */
  ours?: readonly string[]
  /** Generates the missing credentials of a new account. Only the response to its creation shows them. */
  make?(given: Readonly<Record<string, string>>): Record<string, string>
  /** The credential field, which cannot be changed, with the carrier's id of the account, if callbacks name it. */
  fixedAccount?: string
  /** Whether one tenant alone may connect an account. */
  exclusiveAccount?: true
  /** The host that the tenant chose, which must be public. */
  destinationOf?(credentials: Readonly<Record<string, string>>): { host: string; port: number }
  /** The route that the carrier must be configured to call. */
  callbackOf?(credentials: Readonly<Record<string, string>>): Pick<Route, 'path'> | undefined
}

/** A kind that sends. */
export interface SendingKind extends CarrierKind {
  /** Loads the sending half on first use: loading the clients of all carriers more than doubles the time of a start. */
  loadSender(): Promise<SenderDefinition<never, never, never>>
  /** Set for carriers that register sending domains. */
  hasDomains?: true
  /** The region of an account, at carriers that sign with our key. */
  regionOf?(credentials: never): string
  /** Set for carriers with approved templates. */
  hasTemplates?: true
  /** Set where a repetition of a call under one key sends nothing twice. */
  takesKeys?: true
}
