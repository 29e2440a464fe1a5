import { mintOperatorToken, type Stack } from '@notify/dev-env'

/** Calls the gateway. @returns the parsed answer @throws Error when it is none of the 2xx */
async function call(stack: Stack, method: string, path: string, credential: string, body: object): Promise<unknown> {
  const answer = await fetch(`${stack.url('gateway')}/api/v1${path}`, {
    method,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${credential}` },
    body: JSON.stringify(body),
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${method} ${path} was answered ${answer.status} ${text}`)
  return text && JSON.parse(text)
}

/** Adds to the demo application as an operator. @param path below the application */
export async function addToApplication(stack: Stack, path: string, body: object): Promise<void> {
  const { application_id, operator } = stack.state
  const token = await mintOperatorToken(stack.url('identity-provider'), operator)
  await call(stack, 'POST', `/applications/${application_id}${path}`, token, body)
}

/** Calls as the demo application, whose key has all permissions. */
export async function callAsApplication(stack: Stack, method: string, path: string, body: object): Promise<void> {
  await call(stack, method, path, stack.state.keys.all.api_key, body)
}
