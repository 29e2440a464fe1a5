import { newId, type OtpChannel } from '@notify/contracts'
import type { Content } from '../channels/code-channel.ts'
import type { Context } from '../context.ts'
import { composeMessage } from '../messages/compose-message.ts'
import { requestAad } from '../messages/message-store.ts'
import type { NewMessage } from './transaction-store.ts'

/** Makes the encrypted message of a code, and its proof. */
export function composeCode(
  { secrets }: Context,
  tenantId: string,
  content: Content & { channel: OtpChannel },
): NewMessage {
  const notificationId = newId('notif')
  const request = JSON.stringify(composeMessage(content))
  return {
    notificationId,
    request: secrets.keyRing.encrypt(request, requestAad(tenantId, notificationId)),
    codeProof: secrets.codeProof.of(content.transactionId, content.code),
  }
}
