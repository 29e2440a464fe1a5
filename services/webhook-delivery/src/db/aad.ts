/** The AAD of encrypted values: it binds each value to its row and column. */
export const secretAad = (tenantId: string, id: string) => `providers|${tenantId}|${id}`
export const urlAad = (tenantId: string, id: string) => `subscriptions.url|${tenantId}|${id}`
export const targetAad = (tenantId: string, id: string) => `deliveries.url|${tenantId}|${id}`
export const bodyAad = (tenantId: string, id: string) => `deliveries|${tenantId}|${id}`
export const fanOutAad = (tenantId: string, id: string) => `fan_outs|${tenantId}|${id}`
export const responseAad = (deliveryId: string) => `attempts.response|${deliveryId}`
/** The AAD that dispatch uses for the metadata of a notification. */
export const metadataAad = (tenantId: string, notificationId: string) =>
  `notifications.metadata|${tenantId}|${notificationId}`
