import type { Stack } from '@notify/dev-env'

/** A message as the carrier's stand-in has logged it. */
export interface Received {
  notificationId: string
  /** In milliseconds of the machine's clock. */
  atMs: number
}

interface Logged {
  received_at: string
  request: { body: { StatusCallback?: string } }
}

/** What the carrier has received; of one recipient when one is given. */
export async function readCarrierLog(stack: Stack, to?: string): Promise<Received[]> {
  const query = new URLSearchParams({ limit: '100000', ...(to ? { to } : {}) })
  const response = await fetch(`${stack.url('carrier-sandbox')}/messages?${query}`)
  if (!response.ok) throw new Error(`the carrier's log cannot be read: ${response.status}`)
  const { items } = (await response.json()) as { items: Logged[] }
  return items.map(({ received_at, request }) => ({
    notificationId: new URL(request.body.StatusCallback ?? 'none:').searchParams.get('notification_id') ?? '',
    atMs: Date.parse(received_at),
  }))
}

/** Empties the log, so that it holds one measurement at a time. */
export async function clearCarrierLog(stack: Stack): Promise<void> {
  await fetch(`${stack.url('carrier-sandbox')}/messages`, { method: 'DELETE' })
}
