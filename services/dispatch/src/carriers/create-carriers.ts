import type { z } from 'zod'
import type { Config } from '../config.ts'
import type { Provider } from '../providers/provider-directory.ts'
import type { CarrierAnswer, CarrierMessage, Carriers, EmailMessage } from './carrier.ts'
import { createSesCarrier } from './ses-carrier.ts'
import { createSmtpCarrier } from './smtp-carrier.ts'
import { textFault } from './text-fault.ts'
import { createTwilioCarrier } from './twilio-carrier.ts'
import { permanent, refusal } from './verdict.ts'

/** Kinds of carriers beside those that are built in. */
export type CarrierTable = Readonly<Record<string, OtherCarrier>>
interface OtherCarrier {
  credentials: z.ZodType
  send(provider: { credentials: unknown }, message: unknown): Promise<CarrierAnswer>
}

/** The carriers of every kind of provider behind one `send`. */
export function createCarriers(config: Config, others: CarrierTable = {}): Carriers {
  const twilio = createTwilioCarrier(config)
  const ses = createSesCarrier(config)
  const smtp = createSmtpCarrier(config)
  return {
    async send(provider, message) {
      const other = others[provider.kind]
      if (other) return other.send(provider, message)
      const fault = faultOf(message)
      if (fault) return refusal('ill_formed_text', permanent(`The message ${fault}`), null)
      switch (provider.kind) {
        case 'twilio':
          return isEmail(message) ? wrongChannel(provider) : twilio.send(provider, message)
        case 'ses':
          return isEmail(message) ? ses.send(provider, message) : wrongChannel(provider)
        case 'smtp':
          if (!isEmail(message)) return wrongChannel(provider)
          // The sandbox speaks the protocol of SES alone, and is the one place that a test key's messages may reach.
          return message.mode === 'test' ? ses.send(inSandbox(provider), message) : smtp.send(provider, message)
      }
    },
    close() {
      for (const carrier of [twilio, ses, smtp]) carrier.close()
    },
  }
}

/** New texts are looked at when they are accepted; older ones wait in the table, some for weeks. */
function faultOf(message: CarrierMessage): string | undefined {
  const texts = isEmail(message) ? [message.subject, message.text, message.html, message.to_name] : [message.text]
  return texts.map((text) => text && textFault(text)).find((fault) => fault)
}

function isEmail(message: CarrierMessage): message is EmailMessage {
  return 'subject' in message
}

/** Providers are listed by channel, so this is a fault of ours; the message cannot go out this way. */
function wrongChannel({ kind }: Provider): CarrierAnswer {
  return refusal('wrong_channel', permanent(`A provider of kind ${kind} does not send this channel`), null)
}

function inSandbox({ id, revision, credentials }: Extract<Provider, { kind: 'smtp' }>) {
  const { from, from_name } = credentials
  return {
    id,
    revision,
    kind: 'ses' as const,
    credentials: {
      region: 'us-east-1',
      access_key_id: 'SANDBOXSANDBOXSANDBOX',
      secret_access_key: 'sandbox-sandbox-sandbox',
      from,
      ...(from_name === undefined ? {} : { from_name }),
    },
  }
}
