import type { DomainIdentities, Sender, SenderDefinition, SenderOptions } from './sender.ts'

/** The parts of a sending half that are known before it is loaded. */
interface Known<Credentials, Environment> {
  /** Of carriers that register sending domains. */
  regionOf?: DomainIdentities<Credentials, Environment>['regionOf']
  /** Of carriers with approved templates. */
  templates?: true
}

/** A sending half that is loaded with its first use: the clients of all carriers take longer to load than all else of a start. */
export function onDemand<Credentials, Message, Environment>(
  load: () => Promise<SenderDefinition<Credentials, Message, Environment>>,
  { regionOf, templates }: Known<Credentials, Environment> = {},
): SenderDefinition<Credentials, Message, Environment> {
  return {
    createSender: (options) => createOnDemand(load, options),
    load: async () => void (await load()),
    check: async (credentials, options) => (await load()).check!(credentials, options),
    ...(regionOf && {
      identities: { regionOf, sync: async (...identity) => (await load()).identities!.sync(...identity) },
    }),
    ...(templates && { templates: { list: async (...account) => (await load()).templates!.list(...account) } }),
  }
}

function createOnDemand<Credentials, Message, Environment>(
  load: () => Promise<SenderDefinition<Credentials, Message, Environment>>,
  options: SenderOptions<Environment>,
): Sender<Credentials, Message> {
  let sender: Sender<Credentials, Message> | undefined
  return {
    async send(account, message) {
      if (!sender) {
        const { createSender } = await load()
        sender ??= createSender(options)
      }
      return sender.send(account, message)
    },
    close: () => sender?.close(),
  }
}
