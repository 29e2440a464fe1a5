import type { CarrierAnswer } from './carrier-answer.ts'
import type { Correlation } from './messages.ts'

/** A carrier account as a sender needs it. */
export interface CarrierAccount<Credentials> {
  id: string
  /** Changes with the credentials, so that clients made from them are made anew. */
  revision: number
  credentials: Credentials
}

/** The configuration of a sender. */
export interface SenderOptions<Environment> {
  /** Longest wait for a carrier to answer, in milliseconds. */
  timeoutMs: number
  /** Connections that one account may need at the same time. */
  maxConnections: number
  /** Address of the API as carriers reach it. */
  publicUrl: string
  /** Base address of the carrier sandbox: the only place that messages of mode `test` may reach. */
  sandboxUrl: string | undefined
  /** The carrier's own environment variables. */
  environment: Environment
}

/** Hands messages to one kind of carrier. Never throws: every fault is an outcome. */
export interface Sender<Credentials, Message> {
  send(account: CarrierAccount<Credentials>, message: Message & Correlation): Promise<CarrierAnswer>
  /** Closes connections that are kept open. */
  close(): void
}

/** A sending domain as an account shall have it. */
export interface DomainIdentity {
  domain: string
  /** DKIM selector of our key. */
  selector: string
  /** The bounce domain of its MAIL FROM records. */
  mailFrom: string
  /** Missing when the account shall not have the domain. */
  key?: { privateKey: string; mailFromRegion: string | null; proven: boolean } | undefined
}

/** The sending domains of accounts, at carriers that must know a domain before they send for it. */
export interface DomainIdentities<Credentials, Environment> {
  /**
   * Brings a domain and our key to an account, or away from it; what is done already is not done again.
   * @throws Error that says why the carrier has not taken it
   */
  sync(
    credentials: Credentials,
    identity: DomainIdentity,
    options: Pick<SenderOptions<Environment>, 'timeoutMs' | 'environment'>,
  ): Promise<void>
  /** The region of an account: the MAIL FROM records name its bounce server. */
  regionOf(credentials: Credentials): string
}

/** A message template as the carrier judged it. */
export interface CarrierTemplate {
  name: string
  language: string
  /** In lower case; only `approved` may be sent. */
  status: string
  /** In lower case: `marketing`, `utility` or `authentication`. */
  category: string
  /** What the carrier thinks of how recipients take it; null where it says nothing. */
  quality: string | null
}

/** The message templates of accounts, at carriers that send approved templates alone. */
export interface CarrierTemplates<Credentials, Environment> {
  /**
   * Reads every template of the account.
   * @throws Error that says why the carrier did not tell
   */
  list(
    credentials: Credentials,
    options: Pick<SenderOptions<Environment>, 'timeoutMs' | 'environment'>,
  ): Promise<CarrierTemplate[]>
}

/** The sending half of a carrier. */
export interface SenderDefinition<Credentials, Message, Environment> {
  createSender(options: SenderOptions<Environment>): Sender<Credentials, Message>
  identities?: DomainIdentities<Credentials, Environment>
  templates?: CarrierTemplates<Credentials, Environment>
}
