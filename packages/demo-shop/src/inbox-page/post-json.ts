/** Posts to the shop's own server. @throws Error with the reason that the API gave */
export async function postJson(path: string, body: object): Promise<Record<string, unknown>> {
  const response = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const reply = await response.json().catch(() => ({}))
  if (!response.ok) throw new Error(reply.detail ?? `Status ${response.status}`)
  return reply
}
