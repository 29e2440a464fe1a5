/** Where encrypted values belong: nothing else can read them. */
export const secretPlace = (tenantId: string, id: string) => `providers|${tenantId}|${id}`
export const urlPlace = (tenantId: string, id: string) => `subscriptions.url|${tenantId}|${id}`
export const targetPlace = (tenantId: string, id: string) => `deliveries.url|${tenantId}|${id}`
export const bodyPlace = (tenantId: string, id: string) => `deliveries|${tenantId}|${id}`
export const responsePlace = (deliveryId: string) => `attempts.response|${deliveryId}`
/** Where dispatch keeps the metadata of a notification. */
export const metadataPlace = (tenantId: string, notificationId: string) =>
  `notifications.metadata|${tenantId}|${notificationId}`
