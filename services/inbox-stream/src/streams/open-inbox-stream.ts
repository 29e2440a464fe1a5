import { newId, type streamInbox } from '@notify/contracts'
import { Problem, type StreamHandler } from '@notify/service-kit'
import type { Context } from '../context.ts'
import { inboxKeyOf } from '../inbox/inbox-key.ts'
import { resumeFrom } from './resume-from.ts'

/** Opens a user's stream: it subscribes before it reads, so that no event is missed in between. */
export const openInboxStream: StreamHandler<Context, typeof streamInbox> = async (context, request, writer) => {
  const { hub, live, secrets, metrics } = context
  const { principal, lastEventId, headers } = request
  requireEventStreamAccepted(headers.accept)
  const { tenant_id, application_id } = principal
  const address = { tenant_id, application_id, inbox_key: inboxKeyOf(secrets.blindIndex, principal) }
  const listener = hub.join(address, principal, writer)
  const leave = () => hub.leave(address, listener)
  writer.onClose(leave)
  try {
    await Promise.all([live.ready(), hub.requireRoom(address, listener)])
    const head = await hub.headOf(address.inbox_key)
    if (writer.isClosed) return leave()
    const { sent, id, recovered } = resumeFrom(lastEventId, head)
    if (lastEventId !== undefined) metrics.replayed(recovered)
    const { last_seq: head_id, unread_count } = head
    writer.send({
      id,
      event: 'connection.ready',
      data: { connection_id: newId('con'), recovered, head_id, unread_count },
    })
    writer.onHeartbeat(() => listener.reader.beat())
    listener.reader.start(sent, head_id)
    // The id of a fresh stream is 0: a client that resumed from it would get everything that is kept as new.
    if (id < sent) listener.reader.beat()
  } catch (error) {
    leave()
    throw error
  }
}

/** @throws Problem `not_acceptable` when the caller takes no events (RFC 9110 12.5.1) */
function requireEventStreamAccepted(accept: string | undefined): void {
  if (accept === undefined) return
  const isAccepted = accept.split(',').some((part) => {
    const [range = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase())
    const isRefused = parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))
    return !isRefused && /^(\*\/\*|text\/\*|text\/event-stream)$/.test(range)
  })
  if (!isAccepted) throw new Problem('not_acceptable', 'This is an event stream; send Accept: text/event-stream')
}
