import { forPeople } from './account-check.ts'
import type { SendingKind } from './carrier-kind.ts'
import type { Sender, SenderDefinition, SenderOptions } from './sender.ts'

/** The sending half of a kind, which is loaded with its first use. */
export function onDemand({
  loadSender: load,
  hasDomains,
  regionOf,
  hasTemplates,
  secrets,
}: Pick<SendingKind, 'loadSender' | 'hasDomains' | 'regionOf' | 'hasTemplates' | 'secrets'>): SenderDefinition<
  never,
  never,
  never
> {
  return {
    createSender: (options) => createOnDemand(load, options),
    load: async () => void (await load()),
    async check(credentials: Readonly<Record<string, string | undefined>>, options) {
      const { check } = await load()
      const found = await check!(credentials as never, options)
      return forPeople(
        found,
        (secrets ?? Object.keys(credentials)).flatMap((name) => credentials[name] ?? []),
      )
    },
    ...(hasDomains && {
      identities: {
        ...(regionOf && { regionOf }),
        sync: async (...identity) => (await load()).identities!.sync(...identity),
      },
    }),
    ...(hasTemplates && { templates: { list: async (...account) => (await load()).templates!.list(...account) } }),
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
