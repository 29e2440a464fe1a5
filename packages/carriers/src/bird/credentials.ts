import { z } from 'zod'
import { callbackSecret, headerText } from '../credential-fields.ts'

/** Credentials of an SMS channel at Bird. */
export const BirdCredentials = z
  .strictObject({
    access_key: headerText.meta({ title: 'Access key', description: 'Of a role that may send channel messages' }),
    workspace_id: z.uuid().meta({ title: 'Workspace ID' }),
    channel_id: z.uuid().meta({ title: 'Channel ID', description: 'Of an SMS channel' }),
    signing_key: callbackSecret('Signing key', 'Of the webhook subscriptions; it signs receipts and replies'),
  })
  .meta({ title: 'Bird' })
export type BirdCredentials = z.infer<typeof BirdCredentials>
