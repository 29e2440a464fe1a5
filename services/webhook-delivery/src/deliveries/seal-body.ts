import type { KeyRing } from '@notify/privacy'
import { bodyAad } from '../db/aad.ts'
import type { NewDelivery } from './insert-deliveries.ts'

/** The body of a delivery, as it is stored, and as an attempt sends it that begins at once. */
export const sealBody = (
  keyRing: KeyRing,
  { tenant_id, id }: Pick<NewDelivery, 'tenant_id' | 'id'>,
  body: string,
): Pick<NewDelivery, 'body'> & { plain: { body: string } } => ({
  body: keyRing.encrypt(body, bodyAad(tenant_id, id)),
  plain: { body },
})
