import type { Stack } from '@notify/dev-env'

/** A message in the log of the carrier sandbox. */
export interface Received {
  notificationId: string
  to: string
  /** Unix milliseconds. */
  atMs: number
}

interface Logged {
  to: string
  received_at: string
  request: { body: { StatusCallback?: string } }
}

/** Messages received by the sandbox, optionally of one recipient. */
export async function readCarrierLog(stack: Stack, to?: string): Promise<Received[]> {
  const query = new URLSearchParams({ limit: '100000', ...(to ? { to } : {}) })
  const response = await fetch(`${stack.url('carrier-sandbox')}/messages?${query}`)
  if (!response.ok) throw new Error(`cannot read the log of the carrier sandbox: ${response.status}`)
  const { items } = (await response.json()) as { items: Logged[] }
  return items.map(({ to, received_at, request }) => ({
    to,
    notificationId: new URL(request.body.StatusCallback ?? 'none:').searchParams.get('notification_id') ?? '',
    atMs: Date.parse(received_at),
  }))
}

/** Empties the log before a measurement. */
export async function clearCarrierLog(stack: Stack): Promise<void> {
  await fetch(`${stack.url('carrier-sandbox')}/messages`, { method: 'DELETE' })
}
