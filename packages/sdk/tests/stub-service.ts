import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** A request as the server got it. */
export interface Got {
  method: string
  url: string
  key: string | undefined
  authorization: string | undefined
  body: string
}

type Answer = (response: ServerResponse, request: IncomingMessage) => void

/** A server that answers one request after the other with the given answers, and repeats the last. */
export async function startStubService() {
  const got: Got[] = []
  let answers: Answer[] = []
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request
    const { 'idempotency-key': key, authorization } = headers
    got.push({ method, url, key: key as string | undefined, authorization, body: await text(request) })
    const answer = answers.length > 1 ? answers.shift() : answers[0]
    answer?.(response, request)
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    got,
    willAnswer(...next: Answer[]) {
      got.length = 0
      answers = next
    },
    stop: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(resolve))
    },
  }
}

export const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  (response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))

export const problem = (status: number, code: string, headers: Record<string, string> = {}, fields: object = {}) =>
  json(
    status,
    { type: `https://docs.example/errors/${code}`, title: 'Title', status, code, detail: 'Detail', ...fields },
    { 'content-type': 'application/problem+json', 'x-request-id': 'req_1', ...headers },
  )

export const cut: Answer = (response) => response.destroy()
export const hang: Answer = () => {}
