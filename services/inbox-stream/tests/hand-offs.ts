import { expect } from '@jest/globals'
import { eventually } from '@notify/dev-env'
import { type openBus, type StoredMessage, storedMessages } from '@notify/test-kit/bus'

/** What dispatch has handed over of these notifications, in the order of its stream. */
export async function handOffsOf(
  bus: Awaited<ReturnType<typeof openBus>>,
  ids: readonly string[],
): Promise<StoredMessage[]> {
  return eventually(async () => {
    const messages = (await storedMessages(bus, ['dispatch'])).filter(({ subject }) =>
      subject.startsWith('dispatch.inbox.'),
    )
    const found = ids.map((id) => messages.find(({ text }) => JSON.parse(text)[0].event.notification_id === id))
    expect(found).not.toContain(undefined)
    return found as StoredMessage[]
  })
}
