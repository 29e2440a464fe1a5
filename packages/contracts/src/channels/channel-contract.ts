import type { z } from 'zod'

/** Fields of a dispatch request that only some channels show. */
export type ShownField =
  | 'preheader'
  | 'layout_id'
  | 'subject'
  | 'title'
  | 'html_body'
  | 'from'
  | 'reply_to'
  | 'cc'
  | 'bcc'
  | 'headers'
  | 'attachments'

/** A channel as callers see it. */
export interface ChannelContract<Template extends z.ZodType = z.ZodType> {
  /** Its template in events and stored templates. Texts are Liquid. */
  template: Template
  /** Fields of a recipient in the object form; none where a recipient is a string only. */
  recipientFields: readonly string[]
  /** The one of these that names the recipient; a `user_id` may stand in its place. */
  addressField?: string
  /** Fields that other channels would silently drop. */
  shownFields: readonly ShownField[]
  /** Whether its messages contain `data`. In others, `data` only fills event templates. */
  showsData: boolean
  /** Whether one-time codes may be sent by it. */
  sendsCodes: boolean
  /** Whether recipients must have agreed: the consent ledger decides, and messages about consent count. */
  needsConsent: boolean
  /** Whether recipients can be suppressed. */
  suppresses: boolean
  /** What its messages are priced by, beside the channel itself. */
  categories?: readonly string[]
  /** A notification that an order was shipped, with the variables `name` and `order`. The demo sends it. */
  example: { template: z.input<Template> }
}
