import { column, defineStatement } from '@notify/database'
import { attachmentAad } from '../../channels/attachment-column.ts'
import type { ChannelDefinition, Payload } from '../../channels/channel.ts'
import { unframed } from '../../channels/file-frame.ts'
import type { Context } from '../../context.ts'
import type { Claim } from '../claim/claim-store.ts'

const find = defineStatement({
  name: 'find-attachments',
  text: 'select content from attachments where id = $1 and tenant_id = $2',
  columns: { content: column.bytes() },
})

/**
 * Adds to a payload its files, which have a table of their own.
 * @throws Error when they cannot be read
 */
export async function attachFiles(
  { db, secrets }: Pick<Context, 'db' | 'secrets'>,
  files: NonNullable<ChannelDefinition['files']>,
  { id, tenant_id }: Pick<Claim, 'id' | 'tenant_id'>,
  payload: Payload,
): Promise<Payload> {
  const [row] = await db.run(find, [id, tenant_id])
  if (!row) throw new Error('the files of the message are gone')
  return files.attach(payload, unframed(secrets.keyRing.decryptBytes(row.content, attachmentAad(tenant_id, id))))
}
