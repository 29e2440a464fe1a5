import { endpointWakeSubject } from '@notify/contracts'
import type { Bus } from '@notify/messaging'
import type { Kit } from '@notify/service-kit'

/** Tells other processes of deliveries that wait for endpoints they have. A lost word costs the rest of a session. */
export function watchOthers(kit: Pick<Kit, 'lifecycle'>, { connection }: Bus) {
  const named = new Set<string>()
  const publish = () => {
    if (!connection.isClosed()) connection.publish(endpointWakeSubject, JSON.stringify([...named]))
    named.clear()
  }
  return {
    tell(endpointId: string): void {
      if (named.size === 0) setImmediate(publish)
      named.add(endpointId)
    },
    listen(look: (endpointIds: readonly string[]) => void): void {
      const words = connection.subscribe(endpointWakeSubject, {
        callback: (_, message) => look(message.json<string[]>()),
      })
      kit.lifecycle.onStop('words of others', () => words.unsubscribe())
    },
  }
}
