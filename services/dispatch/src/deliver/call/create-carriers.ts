import {
  environmentOf,
  permanent,
  refusal,
  type Sender,
  type SenderOptions,
  type SendingCarrier,
  type SendingCarriers,
  sendingCarriers,
} from '@notify/carriers/sending'
import type { Channel } from '@notify/contracts'
import type { ChannelDefinition, Channels } from '../../channels/channel.ts'
import { channels as registry } from '../../channels/registry.ts'
import { textFault } from '../../channels/text-fault.ts'
import type { Config } from '../../config.ts'
import type { CarrierMessage, Carriers } from './carrier.ts'

interface OpenCarrier {
  channel: Channel
  sender: Sender<unknown, unknown>
}

/** The carriers of a table behind one `send`, which chooses by the kind of the provider. */
export function createCarriers(
  config: Config,
  table: SendingCarriers = sendingCarriers,
  channels: Channels = registry,
): Carriers {
  const open = new Map(
    Object.entries(table).map(([kind, carrier]) => [kind, openCarrier(config, carrier, channels[carrier.channel])]),
  )
  return {
    async send(provider, message) {
      const fault = faultOf(message)
      if (fault) return refusal('ill_formed_text', permanent(`The message ${fault}`), null)
      const carrier = open.get(provider.kind)
      // Providers are listed by channel, so this is an internal fault; the message cannot be sent with this provider.
      if (carrier?.channel !== message.channel) {
        const text = `A provider of kind ${provider.kind} does not send this channel`
        return refusal('wrong_channel', permanent(text), null)
      }
      return carrier.sender.send(provider, message)
    },
    close() {
      for (const { sender } of open.values()) sender.close()
    },
  }
}

function openCarrier(config: Config, carrier: SendingCarrier, definition?: ChannelDefinition): OpenCarrier {
  const { channel, createSender } = carrier
  const options: SenderOptions<never> = {
    timeoutMs: config.CARRIER_TIMEOUT,
    maxConnections: connectionsOf(config, definition),
    publicUrl: config.PUBLIC_URL,
    sandboxUrl: config.CARRIER_SANDBOX_URL,
    environment: environmentOf(config, carrier),
  }
  // The types of the table ensure that each sender gets its own credentials, messages and variables.
  return { channel, sender: createSender(options) as Sender<unknown, unknown> }
}

/** The number of connections: at most as many messages of the channel are in flight. */
function connectionsOf(config: Config, definition: ChannelDefinition | undefined): number {
  if (definition?.delivery.by !== 'carrier') return 1
  const { connections, lanes } = definition.delivery
  return connections?.(config) ?? lanes(config).reduce((sum, { concurrency }) => sum + concurrency, 0)
}

/**
 * Acceptance checks texts already. A faulty text must fail only its message, and not open the provider's circuit breaker.
 */
function faultOf(message: CarrierMessage): string | undefined {
  const texts = Object.values(message).filter((value) => typeof value === 'string')
  return texts.map(textFault).find((fault) => fault)
}
