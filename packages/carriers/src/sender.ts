import type { WhatsAppTemplateContent } from '@notify/contracts'
import type { AccountCheck } from './account-check.ts'
import type { CarrierAnswer } from './carrier-answer.ts'
import type { Correlation } from './messages.ts'

/** A carrier account as senders use it. */
export interface CarrierAccount<Credentials> {
  id: string
  /** Changes with the credentials; clients are recreated then. */
  revision: number
  credentials: Credentials
}

/** The configuration of a sender. */
export interface SenderOptions<Environment> {
  /** Timeout of a request to a carrier, in milliseconds. */
  timeoutMs: number
  /** Maximum concurrent connections per account. */
  maxConnections: number
  /** Public base URL of the API. */
  publicUrl: string
  /** Base URL of the carrier sandbox, the only destination of messages of mode `test`. */
  sandboxUrl: string | undefined
  /** The carrier's own environment variables. */
  environment: Environment
}

/** Sends messages through one kind of carrier. Never throws: every failure is an outcome. */
export interface Sender<Credentials, Message> {
  send(account: CarrierAccount<Credentials>, message: Message & Correlation): Promise<CarrierAnswer>
  /** Closes connections that are kept open. */
  close(): void
}

/** The desired state of a sending domain at an account. */
export interface DomainIdentity {
  domain: string
  /** DKIM selector of our key. */
  selector: string
  /** The bounce domain of its MAIL FROM records. */
  mailFrom: string
  /** Absent when the domain must be removed from the account. */
  key?: { privateKey: string; mailFromRegion: string | null; proven: boolean } | undefined
  /**
   * The carrier's name of the domain at the last registration, and whether we added it. The name is null after an addition whose
   * answer was never stored.
   */
  known: { reference: string | null; isOurs: boolean } | null
}

/** A DNS record that a carrier needs. */
export interface CarrierRecord {
  purpose: 'dkim' | 'spf' | 'mail_from'
  type: 'TXT' | 'CNAME' | 'MX'
  /** Fully qualified, without trailing dot. */
  name: string
  value: string
  /** Of MX records. */
  priority?: number
  /** Whether the carrier has found it. */
  seen: boolean
}

/** A domain as an account has it. */
export interface Registration {
  /** Whether the account may send from it. */
  verified: boolean
  /** The records that the carrier made; those of our own key are not among them. */
  records: CarrierRecord[]
  /** The carrier's name of the domain. */
  reference: string
  /** Whether we added the domain to the account, and may remove it. */
  isOurs: boolean
}

/** Manages sending domains at carriers that require their registration. */
export interface DomainIdentities<Credentials, Environment> {
  /**
   * Registers a domain at an account and asks the carrier to check it, or removes it. Idempotent.
   * @param options.note awaited with what is known of the domain from then on, before it is added or gets our key, and after a
   * refusal of its addition: a change that is cut off neither loses nor claims a domain
   * @returns undefined after a removal
   * @throws DomainsUnmanaged when the credentials may not manage domains
   * @throws Error with the carrier's reason
   */
  sync(
    credentials: Credentials,
    identity: DomainIdentity,
    options: Pick<SenderOptions<Environment>, 'timeoutMs' | 'environment'> & {
      note?: ((known: DomainIdentity['known']) => Promise<void>) | undefined
    },
  ): Promise<Registration | undefined>
  /** The region of an account, which determines the target of the MAIL FROM records; of carriers that sign with our key. */
  regionOf?(credentials: Credentials): string
}

/** A message template as the carrier judged it. */
export interface CarrierTemplate {
  name: string
  language: string
  /** In lower case; only `approved` may be sent. */
  status: string
  /** In lower case: `marketing`, `utility` or `authentication`. */
  category: string
  /** The carrier's rating of how recipients respond; null where it gives none. */
  quality: string | null
  content: WhatsAppTemplateContent | null
}

/** The message templates of accounts, at carriers that send only approved templates. */
export interface CarrierTemplates<Credentials, Environment> {
  /**
   * Reads every template of the account.
   * @throws Error with the reason why the carrier gave no answer
   */
  list(
    credentials: Credentials,
    options: Pick<SenderOptions<Environment>, 'timeoutMs' | 'environment'>,
  ): Promise<CarrierTemplate[]>
}

/** How an account is checked. */
export type CheckOptions<Environment> = Pick<SenderOptions<Environment>, 'timeoutMs' | 'environment'>

/** The sending half of a carrier. */
export interface SenderDefinition<Credentials, Message, Environment> {
  createSender(options: SenderOptions<Environment>): Sender<Credentials, Message>
  identities?: DomainIdentities<Credentials, Environment>
  templates?: CarrierTemplates<Credentials, Environment>
  /** Asks the carrier about an account, without sending a message. Never throws. */
  check?(credentials: Credentials, options: CheckOptions<Environment>): Promise<AccountCheck>
  /** Loads what sending needs, so that the first message does not wait for it. */
  load?(): Promise<void>
}
